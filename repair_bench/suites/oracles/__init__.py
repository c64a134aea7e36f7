"""Oracles: additional checks for tasks with published unit tests. Oracles judge behaviour, not source code.

An oracle is a function in the folder `oracles/` of a suite, decorated with `@oracle("TASK ID")`. The oracle calls the
entry point with chosen inputs, and raises AssertionError for a result that is incorrect under every reading of the
prompt. Each oracle runs as a unit test in a separate process (`guest.unit_tests.stub`). This process receives only data
from the candidate, and the candidate cannot access the process. This package reads the oracle files as text, because
importing them requires Qiskit.
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
"""The file with helper functions for oracles. The code in this file is prepended to the code of every oracle."""


@dataclass(frozen=True)
class Oracle:
    """An oracle. `function`: the name of the function in `source` that receives the entry point as its argument."""

    source: str
    function: str


def with_oracles(suite: Suite, folder: Path, rule: str) -> Suite:
    """Return the suite. Under the rule "semantic", the oracles in `folder` are added to the tasks."""
    if rule != SEMANTIC:
        return suite
    oracles = read(folder)
    return replace(suite, tasks=tuple(_with_oracle(task, oracles.get(task.id)) for task in suite.tasks))


@cache
def read(folder: Path) -> dict[str, Oracle]:
    """Return the oracles in the files of a folder, by task ID."""
    return {
        task_id: oracle
        for path in sorted(folder.glob("*.py"))
        for task_id, oracle in _in_file(path.read_text(encoding="utf-8")).items()
    }


def _in_file(text: str) -> dict[str, Oracle]:
    source = _code(KINDS.read_text(encoding="utf-8")) + _code(text)
    return {
        argument.value: Oracle(source, node.name)
        for node in parsed(text).body
        if isinstance(node, ast.FunctionDef)
        for mark in node.decorator_list
        if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "oracle"
        for argument in mark.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }


def _code(text: str) -> str:
    """Return the code of a file, omitting comments, docstrings and imports from this package.

    A test's random inputs depend on the text of the test, so this text must not contain documentation. Imports from the
    package `executors.guest` are renamed to the package's name in the sandbox.
    """
    tree = parsed(text.replace(f"from {guest.__name__}.", f"from {NAME}."))
    tree.body = [node for node in tree.body if not _from_this_package(node)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [child for child in node.body if not _documents(child)]
    return ast.unparse(tree) + "\n"


def _from_this_package(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").startswith("repair_bench.")


def _documents(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _with_oracle(task: Task, oracle: Oracle | None) -> Task:
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
    # weaknesses of the published test, and conventions that the prompt leaves open, no longer affect the verdict
    return replace(task, oracle=check, weak=(), underspecified=None)
