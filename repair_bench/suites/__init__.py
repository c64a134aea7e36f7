"""Tasks, checks, and the loaders of the published datasets.

A suite is one module and one line in `SUITES`, imported when it is first named. The module has `load(...)`, which reads
files and runs nothing; where right answers must be computed by running a reference, `resolve(suite, run)`; and where
unit tests were found to be sealed in different ways, `SEALING`, the file that says so.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from repair_bench.executors.program import FRAMEWORKS
from repair_bench.suites.sources import ImportPath, own
from repair_bench.suites.task import Run, Suite
from repair_bench.traces.faults import UsageError

SUITES = {
    "aligned": ("repair_bench.suites.aligned", "built in: 42 problems in three frameworks, with answers of their own"),
    "quanbench-plus": ("repair_bench.suites.quanbench_plus", "QuanBench+ as published; needs its official files"),
    "qiskit-humaneval": (
        "repair_bench.suites.qiskit_humaneval",
        "Qiskit HumanEval as published: 151 functions to complete",
    ),
    "qiskit-humaneval-hard": ("repair_bench.suites.qiskit_humaneval.hard", "the same 151 problems as instructions"),
    "quantum-katas": ("repair_bench.suites.quantum_katas", "the Quantum Katas in Qiskit as published: 350 problems"),
    "jsonl": ("repair_bench.suites.jsonl", "tasks of your own, from a JSON Lines file: pass --data FILE"),
}
"""The suites by name: the module, and what it holds."""


def describe() -> dict[str, str]:
    """What each suite holds, by name."""
    return {name: text for name, (_, text) in SUITES.items()}


def facts_file(name: str) -> Path | None:
    """Where a suite that `load` knows keeps how its unit tests are sealed (`suites.sealing`); None if nowhere."""
    path: Path | None = getattr(import_module(SUITES[name][0]), "SEALING", None)
    return path


async def load(
    name: str,
    *,
    data: Path | None = None,
    frameworks: Sequence[str] | None = None,
    run: Run | None = None,
    rule: str = "exact",
    import_path: ImportPath = own,
) -> Suite:
    """The suite of that name.

    `data`: the folder with the official files of a published dataset. `frameworks`: those to ask in; None for all.
    `run`: executes the references that right answers are computed from; without it such tasks can be shown, but judging
    them raises SuiteError. `rule`: how distributions are compared (`repair_bench.suites.checks.rules`). `import_path`:
    where the interpreter of a framework looks for what a task imports; tasks that lack something are excluded. Raises
    UsageError for what the user can mend, SuiteError for a suite that is broken.
    """
    if name not in SUITES:
        raise UsageError(f"no suite is called {name!r}: choose from {', '.join(SUITES)}")
    chosen = FRAMEWORKS if frameworks is None else tuple(frameworks)
    if unknown := [framework for framework in chosen if framework not in FRAMEWORKS]:
        raise UsageError(f"no framework is called {unknown[0]!r}: choose from {', '.join(FRAMEWORKS)}")
    module = import_module(SUITES[name][0])
    options = {"data": data, "frameworks": chosen, "rule": rule, "import_path": import_path}
    accepted = inspect.signature(module.load).parameters
    suite: Suite = module.load(**{option: value for option, value in options.items() if option in accepted})
    if run is not None and hasattr(module, "resolve"):
        suite = await module.resolve(suite, run)
    return suite
