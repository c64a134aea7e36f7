"""The suite python-conventions: Python functions whose prompts leave conventions open.

The first answer is a guess, and feedback shows which calls returned incorrect values.
"""

import hashlib
import itertools
import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from string import Template
from typing import Any, ClassVar

from python_conventions.problems import PROBLEMS, Problem
from repair_bench import Suite, Task
from repair_bench.executors.program import Observe
from repair_bench.suites.checks import Case, CircuitCheck
from repair_bench.suites.checks.judge import CaseResult
from repair_bench.suites.task import Hypotheses
from repair_bench.traces.record.records import Outcome

NAME, VERSION = "python-conventions", "1"
SEED = 20261127
"""Determines which hypotheses are true. A published seed is no secret: change it for a study."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ValueCheck(CircuitCheck):
    """Compares the value that each call returns with the correct value."""

    observe: ClassVar[Observe] = "state"  # plain Python has no circuits: every value is reported as text

    def compare(self, case: Case, seen: dict[str, Any], framework: str) -> CaseResult:  # noqa: ARG002
        """Compare the text of a value with the text of the correct value."""
        got, expected = str(seen.get("repr")), repr(case.expected)
        problem = None if got == expected else "a returned value is incorrect"
        return CaseResult(problem, expected=expected, got=got)


def load(*, frameworks: Sequence[str]) -> Suite:
    """Return one task per problem."""
    hypotheses = [hypotheses_of(NAME, name, "python") for name in PROBLEMS]
    content = hashlib.sha256(repr((SEED, PROBLEMS)).encode()).hexdigest()
    tasks = tuple(one.tasks[one.truth] for one in hypotheses) if "python" in frameworks else ()
    return Suite(NAME, VERSION, content, tasks)


def hypotheses_of(suite: str, task_id: str, framework: str) -> Hypotheses:  # noqa: ARG001
    """Return the hypotheses of a task, one for each way to settle the open conventions."""
    problem = PROBLEMS[task_id]
    made = [(choice, _reference(problem, choice)) for choice in _choices(problem)]
    values = [_values(problem, reference) for _, reference in made]
    return Hypotheses(
        names=tuple(", ".join(f"{name} {option}" for name, option in choice.items()) for choice, _ in made),
        tasks=tuple(
            _task(task_id, problem, reference, under) for (_, reference), under in zip(made, values, strict=True)
        ),
        outcomes=tuple(Outcome("returned", {"cases": [{"repr": repr(value)} for value in under]}) for under in values),
        truth=Random(f"{SEED} {task_id}").randrange(len(made)),  # noqa: S311 - not a secret
        family=task_id,
        bits=round(math.log2(len(made))),
    )


def _choices(problem: Problem) -> Iterator[dict[str, str]]:
    """Yield every combination of options, as the name of an option for each convention."""
    for chosen in itertools.product(*(convention.options for convention in problem.conventions)):
        yield {convention.name: option for convention, option in zip(problem.conventions, chosen, strict=True)}


def _reference(problem: Problem, choice: dict[str, str]) -> str:
    code = {convention.name: convention.options[choice[convention.name]] for convention in problem.conventions}
    body = Template(Template(problem.code).substitute(code)).substitute(code)  # an option can contain another gap
    return f"def {problem.signature}:\n{textwrap.indent(body, '    ')}\n"


def _values(problem: Problem, reference: str) -> list[Any]:
    """Run our own reference."""
    namespace: dict[str, Any] = {}
    exec(reference, namespace)  # noqa: S102 - not a model's code
    return [namespace[problem.entry_point](*args) for args in problem.calls]


def _task(task_id: str, problem: Problem, reference: str, values: Sequence[Any]) -> Task:
    *others, last = [convention.question for convention in problem.conventions]
    questions = f"{', '.join(others)}, and {last}" if others else last
    return Task(
        suite=NAME,
        id=task_id,
        framework="python",
        entry_point=problem.entry_point,
        prompt=f"Write {problem.signature}, which returns {problem.returns}.\n\n"
        f"The statement leaves open {questions}; you may have to infer this from feedback.",
        starter=f"def {problem.signature}:",
        check=ValueCheck(cases=tuple(map(Case, problem.calls, values))),
        category="conventions",
        reference=reference,
    )
