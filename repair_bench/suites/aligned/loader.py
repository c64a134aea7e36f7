"""Loader for the built-in suite. `README.md` in this package documents the format."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import jinja2
from pydantic import Field

from repair_bench.frameworks import FRAMEWORKS, USUAL
from repair_bench.suites.aligned.answers import answers
from repair_bench.suites.checks import CIRCUIT_CHECKS
from repair_bench.suites.contents import content_hashes
from repair_bench.suites.datafiles import StrictModel, checked
from repair_bench.suites.inputs import Inexpressible
from repair_bench.suites.sources import ImportPath, no_import_path, unmet
from repair_bench.suites.task import Category, Suite, Task
from repair_bench.suites.wording import call, prompt, setup, starter
from repair_bench.traces.faults import SuiteError, UsageError

NAME = "aligned"
VERSION = "1"
FOLDER = Path(__file__).parent / "tasks"


class CheckTable(StrictModel):
    """The check of a task, from the table `[check]` in `task.toml`."""

    kind: Literal["distribution", "state", "unitary"]
    measured: str | None = None
    bits: int | None = Field(default=None, ge=1)
    qubits: int | None = Field(default=None, ge=1)
    gates: list[str] | None = None

    def missing(self) -> str | None:
        needed = ("measured", "bits") if self.kind == "distribution" else ("qubits",)
        return next((name for name in needed if getattr(self, name) is None), None)


class CaseTable(StrictModel):
    """A call to the entry point, from a `[[case]]` table in `task.toml`."""

    args: list[Any]
    hidden: bool = False


class TaskFile(StrictModel):
    """The contents of `task.toml`, which all frameworks share."""

    title: str = Field(min_length=1)
    entry_point: str = Field(pattern=r"^[A-Za-z_]\w*$")
    parameters: str
    category: Category
    difficulty: Literal["introductory", "intermediate", "advanced"]
    concepts: list[str] = Field(min_length=1)
    statement: str = Field(min_length=1)
    errata: str
    check: CheckTable
    case: list[CaseTable] = Field(default_factory=lambda: [CaseTable(args=[])], min_length=1)
    inputs: dict[str, str] = Field(default_factory=dict)
    left_out: dict[str, str] = Field(default_factory=dict)


def load(
    *,
    frameworks: Collection[str] = USUAL,
    rule: str = "exact",
    import_path: ImportPath = no_import_path,
    folder: Path = FOLDER,
) -> Suite:
    """Return the suite, limited to the chosen frameworks that the suite has solutions for.

    If any problem has a solution in a framework, every problem needs one in that framework, unless `left_out`
    states a reason. Raises a SuiteError that names the file and the field if a folder is incomplete.
    """
    problems = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(("_", ".")))
    if not problems:
        raise SuiteError(f"{folder}: no task folders")
    solved = [name for name in FRAMEWORKS if any(_solution(problem, name).exists() for problem in problems)]
    tasks = [task for problem in problems for task in _read(problem, solved, rule)]
    excluded = {name: unmet(packages=FRAMEWORKS[name].needs, path=import_path(name)) for name in solved}
    chosen = tuple(replace(t, excluded=excluded[t.framework]) for t in tasks if t.framework in frameworks)
    content, further = content_hashes(tasks)
    return Suite(NAME, VERSION, content, chosen, further=further)


def _read(folder: Path, solved: Sequence[str], rule: str) -> list[Task]:
    """Return one task per framework. `solved`: the frameworks for which the folder must contain a solution."""
    number = re.fullmatch(r"(\d\d)_\w+", folder.name)
    if number is None:
        raise SuiteError(f"{folder}: the name of a task folder must have the form <two digits>_<slug>")
    path = folder / "task.toml"
    table = _parse(path)
    if (field := table.check.missing()) is not None:
        raise SuiteError(f"{path}: a {table.check.kind} check requires check.{field}")
    solved = [name for name in solved if name not in table.left_out]
    if table.inputs and set(table.inputs) != set(solved):
        raise SuiteError(f"{path}: inputs must contain all or none of {', '.join(solved)}")
    kind = table.check.kind
    judged: dict[str, Any] = {"rule": rule, "circuit": True} if kind == "distribution" else {}
    calls = [(tuple(case.args), case.hidden) for case in table.case]
    cases = answers(folder / "expected.py", calls, kind, table.check.bits or table.check.qubits or 0)
    references = {name: _text(_solution(folder, name)) for name in solved}
    tasks = []
    for framework in solved:
        check = CIRCUIT_CHECKS[kind](
            cases=cases,
            setup=table.inputs.get(framework) or setup(framework, table.parameters),
            gates=None if table.check.gates is None else frozenset(table.check.gates),
            qubits=table.check.qubits,
            **judged,
        )
        words = _words(path, table, framework, [case.args for case in cases])
        task = Task(
            suite=NAME,
            id=number[1],
            framework=framework,
            entry_point=table.entry_point,
            prompt=words[0],
            starter=words[1],
            check=check,
            category=table.category,
            difficulty=table.difficulty,
            reference=references[framework],
            errata=table.errata.strip() or None,
            title=table.title,
            concepts=tuple(table.concepts),
        )
        tasks.append(task)
    return tasks


def _solution(folder: Path, framework: str) -> Path:
    return folder / f"solution_{framework}{FRAMEWORKS[framework].language.suffix}"


def _words(path: Path, table: TaskFile, framework: str, judged: Sequence[Sequence[Any]]) -> tuple[str, str]:
    signature: dict[str, Any] = {"entry_point": table.entry_point, "parameters": table.parameters, "args": judged}
    shown = [case.args for case in table.case if not case.hidden]
    calls = [call(framework, table.entry_point, table.parameters, args) for args in shown if args]
    try:
        words = prompt(
            framework,
            **signature,
            statement=table.statement.strip(),
            **table.check.model_dump(),
            calls=[] if table.inputs else calls[:2],
            more=len(judged) > 2 or len(judged) > len(calls),
        )
    except jinja2.TemplateError as error:
        raise SuiteError(f"{path}: the task statement cannot be rendered: {error}") from error
    except Inexpressible as error:
        raise SuiteError(f"{path}: parameters: {error}. Exclude the task, and state the reason in left_out") from error
    return words, starter(framework, kind=table.check.kind, title=table.title, **signature)


def _parse(path: Path) -> TaskFile:
    try:
        return checked(TaskFile, tomllib.loads(_text(path)), str(path))
    except tomllib.TOMLDecodeError as error:
        raise SuiteError(f"{path}: {error}") from error
    except UsageError as error:
        raise SuiteError(str(error)) from error


def _text(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SuiteError(f"{path}: cannot be read: {error}") from error
    if not text.strip():
        raise SuiteError(f"{path}: is empty")
    return text
