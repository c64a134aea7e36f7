"""Feedback policies, which write the message about a failed attempt.

A built-in policy is a module whose name is listed in `POLICIES`. Another package can provide a policy as an entry point
in the group `repair_bench.feedback`. A policy's function `feedback(task, failure) -> str` reads only the kind and the
evidence of the verdict. Some policies also read the code or a source of placebo feedback. For every kind of failure,
the function returns text without hidden inputs, reference code or grader internals. If a program's output contains such
text, `make_feedback` redacts the text. A policy with `INDEPENDENT = True` requests a new sample instead of a repair:
the prompt of the next attempt contains neither the history nor feedback. With `SHOWS_ASSERTIONS = True`, a policy may
show the assertions of a unit test, but not the rest of the test's source.

A policy may first obtain more evidence. If the policy has a function `program(task, failure) -> Program`, the returned
program runs in the sandbox, and `failure.ran` contains its outcome. If the policy has a function `question(task,
failure) -> messages`, the messages are sent to the critic of the experiment, and `failure.reply` contains the critic's
text. `SHOWS_DOCUMENTATION = True` declares that the program prints only documentation of the framework. The program's
output is then never redacted.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any, Protocol, cast

from repair_bench import plugins
from repair_bench.prompts.leaks import redact_secrets
from repair_bench.prompts.templates import render
from repair_bench.suites.task import Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Feedback, Outcome, Query, Verdict

POLICIES = (
    "default", "function", "verdict", "count", "output", "distance", "support", "expected", "shuffled", "none",
    "critic", "tool", "api",
)  # fmt: skip
"""The names of the built-in policies. Each policy is implemented in the module with the policy's name."""


@dataclass(frozen=True)
class PlaceboSource:
    """A real failure on another task, and the default policy's feedback on it.

    `form`: see `donors.form`. `redacted`: the number of pieces that were redacted from `text` because they reveal the
    unit test or the inputs of the task on which the attempt failed.
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
class Sources:
    """Settings of policies that obtain more evidence (the tables `critic` and `repair` of an experiment)."""

    critic: str = "self"
    sees: tuple[str, ...] = ("task", "program", "feedback")
    replaces: bool = False
    command: str | None = None


@dataclass(frozen=True)
class Failure:
    """The verdict on an attempt, and the judged code. `donor`: a failure on another task, for a placebo. `ran`: the
    outcome of the policy's program. `reply`: the critic's text. Each field is None until it is obtained.
    """

    verdict: Verdict
    code: str | None = None
    donor: PlaceboSource | None = None
    sources: Sources = Sources()
    ran: Outcome | None = None
    reply: str | None = None


class Policy(Protocol):
    """The interface of a policy: a module, or an object with the same attributes."""

    def feedback(self, task: Task, failure: Failure) -> str:
        """Return the text shown to the model."""
        ...


_own: ContextVar[Mapping[str, Policy]] = ContextVar("_own", default=MappingProxyType({}))


@contextlib.contextmanager
def registered_policies(policies: Mapping[str, Policy]) -> Iterator[None]:
    """Add policies by name in this task or thread while the context is active.

    Raises UsageError for an existing name, and for an object that is not a policy.
    """
    for name, added in policies.items():
        if name in _names():
            raise UsageError(f"a feedback policy named {name!r} already exists. Choose another name")
        if missing := plugins.lacks("feedback", added):
            raise UsageError(f"the feedback policy {name!r} has no {missing}")
    token = _own.set({**_own.get(), **policies})
    try:
        yield
    finally:
        _own.reset(token)


def policy(name: str) -> Policy:
    """Return the policy with this name. Raises UsageError if there is no such policy."""
    if name in _own.get():
        return _own.get()[name]
    module = import_module(f"{__name__}.{name}") if name in POLICIES else plugins.load("feedback", name)
    if module is None:
        raise UsageError(f"unknown feedback policy {name!r}; choose from {', '.join(_names())}")
    return cast("Policy", module)


def is_independent(name: str) -> bool:
    """Whether the next attempt under this policy is an independent sample."""
    return bool(getattr(policy(name), "INDEPENDENT", False))


def needs_placebo_source(name: str) -> bool:
    """Whether this policy shows the model a failure on another task (see `repair_bench.grading.placebo_sources`)."""
    return bool(getattr(policy(name), "NEEDS_DONORS", False))


def asks(name: str) -> bool:
    """Whether this policy queries a critic."""
    return hasattr(policy(name), "question")


def consults(name: str) -> bool:
    """Whether this policy queries a critic or runs a program."""
    return asks(name) or hasattr(policy(name), "program")


def question(name: str, task: Task, failure: Failure) -> list[dict[str, Any]]:
    """Return a policy's messages to its critic, without hidden inputs or text from the test or the reference."""
    return [
        {**message, "content": redact_secrets(message["content"], task, failure.code)[0]}
        for message in cast("Any", policy(name)).question(task, failure)
    ]


def make_feedback(
    name: str,
    task: Task,
    verdict: Verdict,
    *,
    code: str | None = None,
    donor: PlaceboSource | None = None,
    cut: bool = False,
    sources: Sources = Sources(),
    critic: Query | None = None,
    ran: Outcome | None = None,
) -> Feedback:
    """Return the feedback on `verdict` under a policy. `code`: the model's program.

    The feedback of all policies passes through this function, which redacts test code, reference code and hidden
    inputs, and counts the redactions. Correct code from a critic often equals the reference, which the critic has not
    seen. Therefore, reference code in a critic's reply is not redacted.

    `donor`: the placebo source, for a policy that needs one (`donors.choose`). `cut`: whether the answer was truncated
    at the maximum length; if it was, all feedback begins by saying so. `critic`, `ran`: the critic's reply and the
    program's outcome. Raises ValueError if the answer passed, or if the policy needs a `donor` but none is given.
    """
    if verdict.kind == "pass":
        raise ValueError("there is no feedback on an answer that passed")
    reply = critic.completion.text if critic is not None and critic.completion is not None else None
    public = ran.stdout if ran is not None and getattr(policy(name), "SHOWS_DOCUMENTATION", False) else ""
    in_reply = 0
    if reply is not None:
        reply, in_reply = redact_secrets(reply, task, code, public=task.reference or "")
        public += f"\n{reply}"
    failure = Failure(verdict, code, donor, sources, ran, reply)
    literals = not getattr(policy(name), "SHOWS_ASSERTIONS", False)
    text, redacted = redact_secrets(policy(name).feedback(task, failure), task, code, literals=literals, public=public)
    redacted += in_reply
    if cut and not is_independent(name):
        text = render("feedback_cut", text=text)
    if donor is None or not needs_placebo_source(name):
        return Feedback(name, text, redacted=redacted, critic=critic, ran=ran)
    # feedback on a limit does not use the donor
    from_source = donor.redacted if verdict.kind != "limit" else 0
    return Feedback(name, text, donor=f"{donor.suite}/{donor.task_id}", redacted=redacted + from_source)


def _names() -> list[str]:
    return [*POLICIES, *(name for name in plugins.names("feedback") if name not in POLICIES), *_own.get()]
