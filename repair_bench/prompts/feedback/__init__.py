"""Feedback policies: what a model is told of a failed attempt.

A policy is a file and a name in `POLICIES`, or an entry point `repair_bench.feedback` of another package.

It is a module with `feedback(task, failure) -> str`, which reads the verdict's kind and evidence, for some the code or
a donor, and nothing else. Every policy has words for every kind of failure. None shows hidden inputs, reference code or
what is inside the grader; where a program brought such text into its own output, `make_feedback` takes it out. A policy
with `INDEPENDENT = True` asks for a new sample instead of a repair: the next attempt sees no history and no feedback.
`SHOWS_ASSERTIONS = True`: what a unit test asserts may be read, but not its source.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Protocol, cast

from repair_bench import plugins
from repair_bench.prompts.leaks import redact_secrets
from repair_bench.prompts.templates import render
from repair_bench.suites.task import Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Feedback, Verdict

POLICIES = ("default", "function", "verdict", "output", "distance", "support", "expected", "shuffled", "none")
"""The names of our policies, each that of its module."""


@dataclass(frozen=True)
class PlaceboSource:
    """A failure of another task that really happened, and what the default policy says of it.

    `form` tells failures apart that are told in different words: the verdict's kind, and for a wrong answer the check.
    `redacted`: how many pieces of its own task's test or inputs were taken out of `text`.
    """

    suite: str
    task_id: str
    framework: str
    entry_point: str
    kind: str
    form: str
    text: str
    redacted: int = 0


@dataclass(frozen=True)
class Failure:
    """The verdict on an attempt, the code that was judged, and for a placebo the failure of another task."""

    verdict: Verdict
    code: str | None = None
    donor: PlaceboSource | None = None


class Policy(Protocol):
    """The module of a policy, or an object with the same attributes."""

    def feedback(self, task: Task, failure: Failure) -> str:
        """The text shown to the model."""
        ...


_own: ContextVar[Mapping[str, Policy]] = ContextVar("_own", default=MappingProxyType({}))


@contextlib.contextmanager
def registered_policies(policies: Mapping[str, Policy]) -> Iterator[None]:
    """While it lasts, this task or thread has these policies too, by name.

    Raises UsageError for a name that there is already, and for an object that is no policy.
    """
    for name, added in policies.items():
        if name in _names():
            raise UsageError(f"there is a feedback policy called {name!r} already: give yours another name")
        if missing := plugins.lacks("feedback", added):
            raise UsageError(f"the feedback policy {name!r} has no {missing}")
    token = _own.set({**_own.get(), **policies})
    try:
        yield
    finally:
        _own.reset(token)


def policy(name: str) -> Policy:
    """The policy of that name. Raises UsageError when there is none."""
    if name in _own.get():
        return _own.get()[name]
    module = import_module(f"{__name__}.{name}") if name in POLICIES else plugins.load("feedback", name)
    if module is None:
        raise UsageError(f"unknown feedback policy {name!r}; choose from {', '.join(_names())}")
    return cast("Policy", module)


def is_independent(name: str) -> bool:
    """Whether the next attempt under this policy is a new sample that knows nothing of the last."""
    return bool(getattr(policy(name), "INDEPENDENT", False))


def needs_placebo_source(name: str) -> bool:
    """Whether this policy tells of another task's failure (`repair_bench.grading.placebo_sources`)."""
    return bool(getattr(policy(name), "NEEDS_DONORS", False))


def shows_assertions(name: str) -> bool:
    """Whether this policy tells what a unit test asserts, with the values in it."""
    return bool(getattr(policy(name), "SHOWS_ASSERTIONS", False))


def make_feedback(
    name: str,
    task: Task,
    verdict: Verdict,
    *,
    code: str | None = None,
    donor: PlaceboSource | None = None,
    cut: bool = False,
) -> Feedback:
    """What the policy of that name tells a model of `verdict` on `code`, which the model wrote.

    The one way to a feedback: text of the test, of the reference and hidden inputs are taken out of it and counted.

    `donor`: for a policy that needs one (`feedback.donors.choose`). `cut`: whether the answer was cut off at the
    longest completion: every policy that tells anything tells that first, since half a program misleads. Raises
    ValueError for a verdict that needs no feedback, or where the donor is missing.
    """
    if verdict.kind == "pass":
        raise ValueError("there is no feedback on an answer that passed")
    text, redacted = redact_secrets(
        policy(name).feedback(task, Failure(verdict, code, donor)), task, code, literals=not shows_assertions(name)
    )
    if cut and not is_independent(name):
        text = render("feedback_cut", text=text)
    if donor is None or not needs_placebo_source(name):
        return Feedback(name, text, redacted=redacted)
    # a limit is told in the policy's own words, all else in the donor's
    from_donor = donor.redacted if verdict.kind != "limit" else 0
    return Feedback(name, text, donor=f"{donor.suite}/{donor.task_id}", redacted=redacted + from_donor)


def _names() -> list[str]:
    return [*POLICIES, *(name for name in plugins.names("feedback") if name not in POLICIES), *_own.get()]
