"""A task, a check, a suite: what is asked, how an answer is judged, and the set they come in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from repair_bench.executors.program import Program
from repair_bench.frameworks import FRAMEWORKS, PYTHON, Language
from repair_bench.traces.record.labels import DOUBTS, Label
from repair_bench.traces.record.lazy_attempt import TaskKey
from repair_bench.traces.record.records import Outcome, Sealed, Verdict, VerdictKind

Run = Callable[[Program], Awaitable[Outcome]]
"""Runs one program: an executor's `run`. Suites are handed it and need no executor of their own."""

SEMANTIC = "semantic"
"""The rule by which unit tests have oracles of ours beside them, which decide (`repair_bench.suites.oracles`)."""

Category = Literal["algorithm", "state_preparation", "decomposition"]


class Check(Protocol):
    """How a task is judged: what to run around the candidate, and what its outcome means."""

    @property
    def rule(self) -> str:
        """The name of the grading rule."""
        ...

    def program(self, task: Task, code: str, *, seed: int | None = None) -> Program:
        """The program that runs `code` for this task, under the task's own seed unless another is given."""
        ...

    def judge(self, task: Task, outcome: Outcome) -> Verdict:
        """The verdict on an outcome. A pure function of its arguments."""
        ...


@dataclass(frozen=True)
class Task:
    """One problem in one framework."""

    suite: str
    id: str
    framework: str
    entry_point: str
    prompt: str
    """The problem in words, complete without the starter code."""
    starter: str
    """Imports and signature, to be completed."""
    check: Check
    """The published way to judge it, or the suite's own."""
    category: str
    difficulty: str | None = None
    reference: str | None = None
    """A solution in this framework; None where there is none."""
    errata: str | None = None
    """What is wrong with the task or its reference, or how it departs from what it was taken from."""
    weak: tuple[str, ...] = ()
    """The programs without an idea (`grading.audit`) that the check passes because it asks for too little."""
    trivial: tuple[str, ...] = ()
    """The programs without an idea that are right answers, though other than the reference."""
    lenient: str | None = None
    """Why the check is weak against changed answers: what it does not look at, so that a right answer with a change
    there passes (`benchmarks/border.py`). It is not a label."""
    wrong: bool = False
    """The check rejects a right answer, or the reference that defines the expected answer is itself wrong, as `errata`
    says."""
    underspecified: str | None = None
    """The convention that the prompt leaves open and the check decides, so that a right answer under another reading
    fails."""
    excluded: str | None = None
    """Why the task cannot be judged here; such a task is counted and printed, never failed."""
    title: str = ""
    concepts: tuple[str, ...] = ()
    oracle: Check | None = None
    """A check of ours beside the published test, whose verdict counts instead (rule "semantic")."""
    no_oracle: str | None = None
    """Why there can be none, of a weak or wrong task, whose published test decides under every rule."""

    @property
    def key(self) -> TaskKey:
        """What attempts name it by."""
        return self.suite, self.id, self.framework

    @property
    def labels(self) -> tuple[Label, ...]:
        """What the errata call it."""
        held = {"weak": self.weak, "wrong": self.wrong, "underspecified": self.underspecified}
        return (*(label for label in DOUBTS if held[label]), *(("excluded",) if self.excluded is not None else ()))

    @property
    def sound(self) -> bool:
        """See `traces.labels`. Rates are printed over all tasks and over the sound ones."""
        return not self.labels

    @property
    def language(self) -> Language:
        """What an answer is written in."""
        framework = FRAMEWORKS.get(self.framework)
        return PYTHON if framework is None else framework.language

    @property
    def seed(self) -> int:
        """What every program of this task runs under, see `execution_seed`."""
        return execution_seed(self.suite, self.id, self.framework)

    @property
    def rule(self) -> str:
        """The name of the rule that its verdicts follow."""
        return (self.oracle or self.check).rule

    @property
    def sealed(self) -> Sealed | None:
        """How its check is kept from the candidate, see `Verdict.sealed`."""
        way: Sealed | None = getattr(self.check, "sealed", "data")  # what is no unit test is judged from data alone
        return way


@dataclass(frozen=True)
class Suite:
    """A named, versioned set of tasks, in the order of their ids, all frameworks of a problem together."""

    name: str
    version: str
    content_hash: str
    """SHA-256 of what its tasks are (`suites.contents`), or of the published files that it was loaded from."""
    tasks: tuple[Task, ...]
    notes: dict[str, Any] = field(default_factory=dict)
    further: dict[str, str] = field(default_factory=dict)
    """By framework, the hash of its tasks that `content_hash` leaves out (`frameworks.USUAL` says whose it covers)."""

    def contents(self, frameworks: Collection[str]) -> str:
        """The hash of what is asked in these frameworks: the content hash, with those that it leaves out."""
        more = [self.further[name] for name in sorted(self.further) if name in frameworks]
        return hashlib.sha256(" ".join([self.content_hash, *more]).encode()).hexdigest() if more else self.content_hash


def execution_seed(suite: str, task_id: str, framework: str) -> int:
    """A 32-bit seed for the candidate's process.

    It depends on the task alone, not on the attempt: a verdict is a function of the task and the code, so that the same
    code never passes on a second throw of the dice.
    """
    text = json.dumps(["execution", suite, task_id, framework], separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def no_code(task: Task) -> Verdict:
    """The verdict on an answer in which no code was found; nothing is run for it."""
    evidence = {"missing": "code", "problem": f"The answer holds no {task.language.title} code."}
    published: VerdictKind | None = "no_code" if task.oracle is not None else None
    return Verdict("no_code", evidence, rule=task.rule, sealed=None, published=published)


def context_full(task: Task, problem: str) -> Verdict:
    """The verdict where no answer could come because the conversation fills the model's context window."""
    return Verdict("context", {"problem": problem}, rule=task.rule, sealed=None)
