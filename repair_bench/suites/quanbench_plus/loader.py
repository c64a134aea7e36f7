"""QuanBench+ from its four official files."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from repair_bench.executors.program import Call, Program
from repair_bench.suites import fetch
from repair_bench.suites.checks import Case, DistributionCheck
from repair_bench.suites.quanbench_plus import files, inputs
from repair_bench.suites.quanbench_plus.errata import ERRATA, IDS, Erratum, weak
from repair_bench.suites.quanbench_plus.files import PUBLISHED_IN, REFERENCES_IN
from repair_bench.suites.quanbench_plus.reference import CanonicalCheck, expecting
from repair_bench.suites.sources import ImportPath, no_import_path, unmet
from repair_bench.suites.task import Category, Check, Suite, Task, execution_seed

NAME = "quanbench-plus"

CATEGORIES: dict[str, Category] = {
    "QUANTUM_ALGO": "algorithm",
    "STATE_PREPARATION": "state_preparation",
    "DECOMPOSITION": "decomposition",
}


def load(
    *,
    data: Path | None,
    frameworks: Collection[str] = PUBLISHED_IN,
    rule: str = "exact",
    import_path: ImportPath = no_import_path,
) -> Suite:
    """The suite, its expected answers still to be computed by `resolve`; under the rule "released" they are the
    stored ones.

    Raises UsageError, naming file and line, for anything that is not as published.
    """
    paths = fetch.official(NAME, data)
    lines = {name: files.read_lines(paths[f"{name}.jsonl"], IDS) for name in PUBLISHED_IN}
    stored = files.read_stored(paths[files.STORED], IDS)
    canonical = {task_id: line.canonical_solution for task_id, line in lines[REFERENCES_IN].items()}
    tasks = [
        replace(
            _task(lines[framework][task_id], framework, canonical[task_id], stored[task_id], rule),
            excluded=_unmet(task_id, framework, import_path),
        )
        for task_id in IDS
        for framework in PUBLISHED_IN
        if framework in frameworks
    ]
    content = files.content_hash(paths)
    return Suite(NAME, fetch.version(NAME, paths, content), content, tuple(tasks))


def _task(line: files.Line, framework: str, canonical: str, stored: list[float], rule: str) -> Task:
    erratum = ERRATA[line.task_id]
    return Task(
        suite=NAME,
        id=line.task_id,
        framework=framework,
        entry_point=line.entry_point,
        prompt=line.complete_prompt,
        starter=_starter(line.complete_prompt),
        check=_check(line, framework, canonical, stored, rule),
        category=CATEGORIES[line.category],
        reference=canonical if framework == REFERENCES_IN else None,
        errata=erratum.text,
        weak=weak(line.task_id, rule),
        wrong=erratum.wrong,
        title=line.entry_point.replace("_", " "),
    )


def _check(line: files.Line, framework: str, canonical: str, stored: list[float], rule: str) -> Check:
    erratum = ERRATA[line.task_id]
    args = inputs.ARGS.get(line.task_id, ())
    asks_for_circuit = rule == "exact" and framework not in inputs.SAMPLED
    check = DistributionCheck(
        cases=(Case(args, None),),
        setup=inputs.setup(line.task_id, framework),
        rule=rule,
        circuit=asks_for_circuit,
    )
    if rule == "released":
        bits = len(stored).bit_length() - 1
        printed = {format(i, f"0{bits}b"): p for i, p in enumerate(stored) if p > 0}
        return expecting(check, [printed], framework, Erratum(reading="string"))
    if erratum.expected is not None:
        return expecting(check, [erratum.expected], framework, erratum)
    call = Call(line.entry_point, "distribution", cases=(args,), setup=inputs.setup(line.task_id, REFERENCES_IN))
    seed = execution_seed(NAME, line.task_id, REFERENCES_IN)
    return CanonicalCheck(Program(REFERENCES_IN, canonical, call, seed=seed), check)


def _unmet(task_id: str, framework: str, import_path: ImportPath) -> str | None:
    """Why the inputs of an answer, or those of the reference that defines the expected one, cannot be made."""
    makers = {name: inputs.setup(task_id, name) for name in (REFERENCES_IN, framework)}
    reasons = [unmet(source, path=import_path(name)) for name, source in makers.items() if source]
    return next(filter(None, reasons), None)


def _starter(prompt: str) -> str:
    """The code in a prompt, without the sentence before it."""
    lines = prompt.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith(("import ", "from ", "def "))), 0)
    return "\n".join(lines[first:]) + "\n"
