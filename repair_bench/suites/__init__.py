"""Tasks, checks, and the loaders of the published datasets. This package runs no programs.

A suite is one module, registered in `SUITES` or through an entry point `repair_bench.suites` of another package, and
imported on first use. The module has `load(...)`, which only reads files. Optional attributes:

- `resolve(suite, run)` computes correct answers by running references.
- `SEALING` is the file with the isolation modes of unit tests (`suites.sealing`); `facts_file(data)` returns its path.
- `ORACLES` is the folder of oracles for unit tests. Only suites with oracles can be loaded with the rule "semantic".
- If `load` takes `name`, the suite has parameters, which `load` reads from the part of the name after a question mark.
- `Edition` is defined if the tasks depend on a secret seed that is drawn when a run starts (`suites.edition_names`).
- `hypotheses_of(suite, task_id, framework)` returns the `Hypotheses` about a task, for the ideal observer. Only for
  suites of other packages.
- `calibrate(name)` runs solvers of known strength on the tasks (`suites.horizon.calibration`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from repair_bench import plugins
from repair_bench.frameworks import available, check_name
from repair_bench.suites import edition_names
from repair_bench.suites.sources import ImportPath, no_import_path
from repair_bench.suites.task import SEMANTIC, Hypotheses, Run, Suite, Task
from repair_bench.traces.faults import UsageError

SUITES = {
    "aligned": (
        "repair_bench.suites.aligned",
        "built in: 42 problems in three frameworks, 38 of them also in OpenQASM 3; answers are computed independently",
    ),
    "conventions": (
        "repair_bench.suites.conventions",
        "built in: feedback reveals conventions that prompts omit; accepts parameters, as in conventions?bits=3&seed=7",
    ),
    "horizon": (
        "repair_bench.suites.horizon",
        "built in: circuit synthesis at increasing sizes; each instance comes from a hidden circuit of known cost",
    ),
    "quanbench-plus": ("repair_bench.suites.quanbench_plus", "QuanBench+ as published; needs its official files"),
    "qiskit-humaneval": (
        "repair_bench.suites.qiskit_humaneval",
        "Qiskit HumanEval as published: 151 functions to complete",
    ),
    "qiskit-humaneval-hard": ("repair_bench.suites.qiskit_humaneval.hard", "Qiskit HumanEval Hard: 151 instructions"),
    "quantum-katas": ("repair_bench.suites.quantum_katas", "the Quantum Katas in Qiskit as published: 350 problems"),
    "jsonl": ("repair_bench.suites.jsonl", "custom tasks from a JSON Lines file, set with --data FILE"),
}
"""The module and the description of each suite, by the suite's name."""

GUARDED = "--require-sealed: the test cannot be isolated from the candidate and must run in the candidate's process"
"""The reason for excluding a task if sealed tests are required."""


def describe() -> dict[str, str]:
    ours = {name: text for name, (_, text) in SUITES.items()}
    return ours | {name: plugins.package("suites", name) for name in plugins.names("suites") if name not in ours}


def facts_file(name: str, data: Path | None = None) -> Path | None:
    """Return the file with the isolation modes of a suite's unit tests (`suites.sealing`), or None if there is none."""
    module = _module(name)
    if data is not None and hasattr(module, "facts_file"):
        return Path(module.facts_file(data))
    return getattr(module, "SEALING", None)


async def load(
    name: str,
    *,
    data: Path | None = None,
    frameworks: Sequence[str] | None = None,
    run: Run | None = None,
    rule: str = "exact",
    import_path: ImportPath = no_import_path,
    require_sealed: bool = False,
) -> Suite:
    """Return the suite with this name.

    `data`: the folder with the official files of a published dataset. `frameworks`: None for all installed frameworks.
    `run`: executes references if a suite computes correct answers from references. If `run` is None, judging a task
    whose correct answer must be computed from a reference raises SuiteError. `rule`: the rule for comparing
    distributions (`repair_bench.suites.checks.rules`), or "semantic", under which oracles replace unit tests where
    available (`repair_bench.suites.oracles`). `import_path`: a function that returns the import path of a framework;
    tasks whose imports are missing on this path are excluded. `require_sealed`: whether tasks whose test can only run
    in the candidate's process are also excluded. Raises UsageError for a problem that the user can fix, and SuiteError
    for a broken suite.
    """
    module = _module(name)
    if rule == SEMANTIC and not hasattr(module, "ORACLES"):
        raise UsageError(f"the rule {SEMANTIC} requires oracles, and {name} has none: choose another rule")
    chosen = available() if frameworks is None else tuple(frameworks)
    for framework in chosen:
        check_name(framework)
    options = {"name": name, "data": data, "frameworks": chosen, "rule": rule, "import_path": import_path}
    accepted = inspect.signature(module.load).parameters
    suite: Suite = module.load(**{option: value for option, value in options.items() if option in accepted})
    if run is not None and hasattr(module, "resolve"):
        suite = await module.resolve(suite, run)
    return replace(suite, tasks=tuple(map(_only_sealed, suite.tasks))) if require_sealed else suite


def recorded_name(name: str, recorded: Sequence[str] = ()) -> str:
    """Return the name under which a run records a suite.

    If the suite has secret tasks, the name includes the randomly drawn seed. `recorded`: the names that the run already
    contains. Raises UsageError for the same reasons as `load`.
    """
    module = _module(name)
    return edition_names.recorded_name(module.Edition, name, recorded) if hasattr(module, "Edition") else name


def calibrator(name: str) -> Callable[..., Any] | None:
    """Return the function `calibrate` of a suite, or None if it is not defined. Raises UsageError as `load` does."""
    found: Callable[..., Any] | None = getattr(_module(name), "calibrate", None)
    return found


def hypotheses_of(name: str, task_id: str, framework: str) -> Hypotheses | None:
    """Return the hypotheses about a task of another package's suite, or None if the suite states no hypotheses."""
    if not states_hypotheses(name):
        return None
    stated: Hypotheses = _module(name).hypotheses_of(name, task_id, framework)
    return stated


def states_hypotheses(name: str) -> bool:
    """Whether a suite comes from another package and states hypotheses about its tasks."""
    family = name.partition("?")[0]
    return family not in SUITES and hasattr(plugins.load("suites", family), "hypotheses_of")


def _module(name: str) -> Any:
    """Return the module of a suite. Raises UsageError for an unknown name or unsupported parameters."""
    family, question, _ = name.partition("?")
    module = import_module(SUITES[family][0]) if family in SUITES else plugins.load("suites", family)
    if module is None:
        raise UsageError(f"there is no suite named {family!r}: choose from {', '.join(describe())}")
    if question and "name" not in inspect.signature(module.load).parameters:
        raise UsageError(f"'{name}': the suite {family} takes no parameters")
    return module


def _only_sealed(task: Task) -> Task:
    return replace(task, excluded=GUARDED) if task.sealed == "guarded" and task.excluded is None else task
