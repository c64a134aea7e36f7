"""Oracles: checks of ours beside published unit tests, that look at what an answer does and not at how it is written.

An oracle is a function in a file of its suite's folder `oracles/`, under `@oracle("TASK ID")`. It is given the entry
point, calls it with inputs of its own and raises AssertionError for what is wrong by every reading of the prompt. It
runs as a unit test in a process of its own (`executors.guest.stub`): only data of the candidate's gets there, and
nothing of the oracle gets to the candidate. Here the files are read as text, for they need Qiskit.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from repair_bench.executors import guest
from repair_bench.executors.guest.__main__ import NAME
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.task import SEMANTIC, Suite, Task
from repair_bench.syntax_tree import parsed

KINDS = Path(__file__).with_name("kinds.py")
"""What oracles are written with: its text goes before theirs."""


@dataclass(frozen=True)
class Oracle:
    """`function`: the one in `source` that is called with the entry point."""

    source: str
    function: str


def with_oracles(suite: Suite, folder: Path, rule: str) -> Suite:
    """The suite; under the rule "semantic" its unit tests have the oracles of a folder beside them."""
    if rule != SEMANTIC:
        return suite
    oracles = read(folder)
    return replace(suite, tasks=tuple(_beside(task, oracles.get(task.id)) for task in suite.tasks))


@cache
def read(folder: Path) -> dict[str, Oracle]:
    """The oracles in a folder's files, by task id."""
    return {
        task_id: oracle
        for path in sorted(folder.glob("*.py"))
        for task_id, oracle in _in_file(path.read_text(encoding="utf-8")).items()
    }


def _in_file(text: str) -> dict[str, Oracle]:
    whole = _code(KINDS.read_text(encoding="utf-8")) + _code(text)
    return {
        argument.value: Oracle(whole, node.name)
        for node in parsed(text).body
        if isinstance(node, ast.FunctionDef)
        for mark in node.decorator_list
        if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "oracle"
        for argument in mark.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }


def _code(text: str) -> str:
    """Return a file without its imports from `KINDS`, whose text goes before it, and without its docstrings.

    Modules of the guest are imported under the name that the guest has in the sandbox. The docstring of a module is a
    name, `__doc__`, of those that show that a test looks inside a function.
    """
    text = text.replace(f"from {guest.__name__}.", f"from {NAME}.")
    lines = text.splitlines()
    for node in parsed(text).body:
        is_ours = isinstance(node, ast.ImportFrom) and (node.module or "").startswith("repair_bench.")
        if is_ours or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            last = node.end_lineno or node.lineno
            lines[node.lineno - 1 : last] = [""] * (last - node.lineno + 1)
    return "\n".join(lines) + "\n"


def _beside(task: Task, oracle: Oracle | None) -> Task:
    if oracle is None or not isinstance(task.check, UnitTestCheck):
        return task
    check = replace(
        task.check,
        test=oracle.source,
        function=oracle.function,
        passes_candidate=True,
        sealing="stub",
        imports=(),
        canary="",
        changes=None,
        rule=SEMANTIC,
    )
    # what is weak in the published test, or left open by the prompt, no longer decides
    return replace(task, oracle=check, weak=(), underspecified=None)
