"""Tasks, checks and suites."""

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
"""A function that runs one program, like the method `run` of an executor."""

SEMANTIC = "semantic"
"""The grading rule under which oracles replace unit tests (`repair_bench.suites.oracles`)."""

Category = Literal["algorithm", "state_preparation", "decomposition"]


class Check(Protocol):
    """The grader of a task, which builds the program to run and judges its outcome."""

    @property
    def rule(self) -> str: ...

    def program(self, task: Task, code: str, *, seed: int | None = None) -> Program:
        """Return the program that runs `code` for this task, by default under the task's seed."""
        ...

    def judge(self, task: Task, outcome: Outcome) -> Verdict:
        """Return the verdict on an outcome; the verdict depends only on the arguments."""
        ...


@dataclass(frozen=True)
class Task:
    """A problem to be solved in one framework."""

    suite: str
    id: str
    framework: str
    entry_point: str
    prompt: str
    """The problem statement, which is complete without the starter code."""
    starter: str
    """Imports and signature."""
    check: Check
    """The published check, or a check that the suite defines."""
    category: str
    difficulty: str | None = None
    reference: str | None = None
    """A solution in this framework; None if there is no solution."""
    reference_on: Callable[[tuple[Any, ...]], str] | None = field(default=None, compare=False)
    """A function that returns a solution for one input, if `reference` covers only the inputs of the test."""
    errata: str | None = None
    """Errors in the task or the reference, or differences from the published task."""
    weak: tuple[str, ...] = ()
    """The trivial baselines (`grading.audit`) that pass because the check has insufficient tests."""
    trivial: tuple[str, ...] = ()
    """The trivial baselines that are correct answers although they differ from the reference."""
    lenient: str | None = None
    """The aspect of an answer that the check ignores. A correct answer that is changed only in this aspect still passes
    (`benchmarks/border.py`). This field has no effect on the labels of the task."""
    wrong: bool = False
    """Whether the check is wrong: it rejects a correct answer, or takes the expected answer from an incorrect
    reference."""
    underspecified: str | None = None
    """The convention that the check assumes but the prompt leaves open; answers under another reading fail."""
    excluded: str | None = None
    """The reason why answers to the task cannot be judged, such as a missing package. Excluded tasks are reported but
    never count as failures."""
    title: str = ""
    concepts: tuple[str, ...] = ()
    oracle: Check | None = None
    """The check that replaces the published test under the rule "semantic"."""
    no_oracle: str | None = None
    """The reason why a task labelled "weak" or "wrong" has no oracle. A task without an oracle is graded by its
    published test under every grading rule."""

    @property
    def key(self) -> TaskKey:
        return self.suite, self.id, self.framework

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels of the task, derived from its errata."""
        values = {"weak": self.weak, "wrong": self.wrong, "underspecified": self.underspecified}
        return (*(label for label in DOUBTS if values[label]), *(("excluded",) if self.excluded is not None else ()))

    @property
    def sound(self) -> bool:
        """Whether the task has no labels. Rates are reported over all tasks and over sound tasks only."""
        return not self.labels

    @property
    def separate_starter(self) -> str:
        """The starter code, or "" if the prompt already contains it, as in the published suites."""
        starter = self.starter.strip()
        return "" if starter in self.prompt else starter

    @property
    def language(self) -> Language:
        framework = FRAMEWORKS.get(self.framework)
        return PYTHON if framework is None else framework.language

    @property
    def seed(self) -> int:
        return execution_seed(self.suite, self.id, self.framework)

    @property
    def rule(self) -> str:
        return (self.oracle or self.check).rule

    @property
    def sealed(self) -> Sealed | None:
        """The isolation mode of the task's check (`Verdict.sealed`)."""
        sealed: Sealed | None = getattr(self.check, "sealed", "data")  # only unit tests run code
        return sealed


@dataclass(frozen=True, eq=False)
class Hypotheses:
    """The equally likely hypotheses about a task whose prompt leaves conventions open. Exactly one of them is true.

    `names`: a label per hypothesis. `tasks`: for each hypothesis, the task with the check and the reference that are
    correct if the hypothesis is true; the prompt is the same. Each reference passes only under its own hypothesis.
    `outcomes`: the outcome of each reference. `truth`: the index of the true hypothesis. `family`: the problem, which
    can have several levels. `bits`: the approximate number of open binary decisions.
    """

    names: tuple[str, ...]
    tasks: tuple[Task, ...]
    outcomes: tuple[Outcome, ...]
    truth: int
    family: str
    bits: int


@dataclass(frozen=True)
class Suite:
    """A named, versioned set of tasks, ordered by ID; the tasks of one problem, one per framework, are consecutive."""

    name: str
    version: str
    content_hash: str
    """The SHA-256 hash of the suite's tasks (`suites.contents`) or of the published files."""
    tasks: tuple[Task, ...]
    further: dict[str, str] = field(default_factory=dict)
    """For each framework outside `frameworks.USUAL`, the hash of its tasks. `content_hash` does not cover these
    tasks."""

    def contents(self, frameworks: Collection[str]) -> str:
        """Return the hash of the suite's tasks in `frameworks`."""
        more = [self.further[name] for name in sorted(self.further) if name in frameworks]
        return hashlib.sha256(" ".join([self.content_hash, *more]).encode()).hexdigest() if more else self.content_hash


def execution_seed(suite: str, task_id: str, framework: str) -> int:
    """Return a 32-bit seed for the candidate's process.

    The seed depends only on the task, not on the attempt, so that the same code always gets the same verdict.
    """
    text = json.dumps(["execution", suite, task_id, framework], separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def no_code(task: Task) -> Verdict:
    """Return the verdict on an answer without code. Nothing is run."""
    evidence = {"missing": "code", "problem": f"The answer contains no {task.language.title} code."}
    published: VerdictKind | None = "no_code" if task.oracle is not None else None
    return Verdict("no_code", evidence, rule=task.rule, sealed=None, published=published)


def context_full(task: Task, problem: str) -> Verdict:
    """Return the verdict on a conversation that fills the model's context window."""
    return Verdict("context", {"problem": problem}, rule=task.rule, sealed=None)
