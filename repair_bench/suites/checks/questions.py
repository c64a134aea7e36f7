"""Questions from a model about the correct output for an input of its choice.

The reference runs in the sandbox on that input, and its output is shown in the same form as an expected output in
feedback. A model cannot ask about the inputs of hidden tests.
"""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from typing import Any

from repair_bench.executors.program import Program
from repair_bench.suites.checks import observation
from repair_bench.suites.checks.judge import Case, CircuitCheck
from repair_bench.suites.checks.observation import Unreadable
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Outcome

MAX_INPUT = 2_000
"""Maximum number of characters in a question."""
HIDDEN = "This input belongs to the hidden tests. Ask about another input."
NO_OUTPUT = "There is no correct output for this input."


def can_ask(task: Task) -> bool:
    """Whether the correct output of a task can be computed for other inputs."""
    return isinstance(task.check, CircuitCheck) and task.reference is not None


def question(task: Task, text: str) -> Program | str:
    """Return the program that computes the answer to a question, or the reason why there is none.

    `text`: the arguments of a call, as Python literals.
    """
    check = task.check
    assert isinstance(check, CircuitCheck)
    assert task.reference is not None
    expected = len(check.cases[0].args)
    args = arguments(text)
    if args is None:
        return "The input could not be read. Write the arguments of one call, such as: 3, 0.5"
    if len(args) != expected:
        return f"The function takes {expected} argument{'' if expected == 1 else 's'}, and the input has {len(args)}."
    hidden = [case.args for case in check.cases if case.hidden]
    if any(json.dumps(one) == json.dumps(args) or list(one) == list(args) for one in hidden):
        return HIDDEN
    try:
        source = task.reference if task.reference_on is None else task.reference_on(args)
    except Exception:  # noqa: BLE001 - a family draws a circuit for any input of a model
        return NO_OUTPUT
    return replace(check, cases=(Case(args, None),)).program(task, source)


def answer(task: Task, outcome: Outcome) -> Any:
    """Return the correct output that an outcome contains, or None. The output is returned in the form in which a
    verdict's evidence shows outputs.
    """
    check = task.check
    assert isinstance(check, CircuitCheck)
    try:
        (seen,) = observation.observed(outcome, 1)
        return check.shown(seen, task.framework)
    except Unreadable:
        return None


def written(args: tuple[Any, ...]) -> str:
    """Return the question about a call with these arguments."""
    return ", ".join(map(repr, args))


def arguments(text: str) -> tuple[Any, ...] | None:
    """Return the arguments in a question, or None if they are too long or cannot be parsed."""
    if len(text) > MAX_INPUT:
        return None
    written = text.strip().rstrip(",")
    try:
        return tuple(json.loads(json.dumps(ast.literal_eval(f"({written},)" if written else "()"))))
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
