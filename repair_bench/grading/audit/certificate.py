"""The certificate of a grader, which records the programs that the grader accepts and the programs that it rejects."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from repair_bench.grading.audit.adversarial_programs import ADVERSARIAL
from repair_bench.grading.audit.trivial_baselines import TRIVIAL
from repair_bench.traces.record.labels import DOUBTS, Label

Fate = Literal["raised", "rejected", "equivalent", "right", "survived"]
"""The fate of a mutant. `raised`: the mutant did not run to completion. `rejected`: the check rejected the mutant. The
other fates (`equivalent`, `right` and `survived`) mean that the check accepted the mutant. `equivalent`: the mutant
implements the same channel as the reference. `right`: the mutant is not equivalent to the reference, but its answers
are also correct. `survived`: the mutant is neither `equivalent` nor `right`."""

ATTEMPTS = 5
"""The number of attempts per task in the released code of QuanBench+."""


@dataclass(frozen=True)
class Settings:
    """The settings that determine the extent of an audit."""

    redraws: int = 1000
    """Number of repeated judgements of a correct answer."""
    mutants_per_task: int | None = 24
    """Number of mutants per task, increased if fewer than 10 run to completion; None for all, 0 for none."""
    runs: int = 3
    """Number of executions of the reference, each with a different seed."""
    seed: int = 0


@dataclass(frozen=True)
class MutantFate:
    """A mutant and its fate. `line`: the line of the reference that the mutation changed."""

    kind: str
    description: str
    line: int
    fate: Fate


@dataclass(frozen=True)
class Redraws:
    """The number of times that a correct answer was judged (`draws`), and the number of rejections (`rejected`)."""

    draws: int = 0
    rejected: int = 0

    @property
    def accepted(self) -> float | None:
        """The share of judgements that accept the answer; None if there are no judgements."""
        return 1 - self.rejected / self.draws if self.draws else None


@dataclass(frozen=True)
class TaskAudit:
    """The audit of one task.

    `reference`: the result of checking the reference. `passed_by`: whether each trivial baseline and each adversarial
    program passes. `right`: the programs that pass and agree with the reference, except programs in `weak`. `weak`:
    programs that pass only because the check has too few tests, according to the errata. `mutants_made`: the total
    number of mutants. `mutants`: the executed mutants. `exact`: the number of judgements and rejections when a correct
    answer is judged repeatedly. `sampled`: how many random samples from the distribution of a correct answer were
    judged, and how many of these samples were rejected. `runs`: the number of executions of the reference, each under a
    different seed. `faults`: the number of programs stopped by infrastructure errors. No other field counts these
    programs.
    """

    id: str
    framework: str
    check: str
    reference: Literal["pass", "fails", "none", "excluded", "fault"]
    detail: str = ""
    passed_by: dict[str, bool] = field(default_factory=dict)
    right: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    labels: tuple[Label, ...] = ()
    mutants_made: int = 0
    mutants: tuple[MutantFate, ...] = ()
    exact: Redraws = Redraws()
    sampled: Redraws = Redraws()
    runs: int = 0
    runs_passed: int = 0
    faults: int = 0

    @property
    def counts(self) -> Counter[str]:
        return Counter(mutant.fate for mutant in self.mutants)

    @property
    def accepted(self) -> float | None:
        """The share of correct answers that the check accepted.

        The share is computed from `exact`, or from `runs` if `exact` contains no judgements. The value None means that
        neither is available.
        """
        if self.exact.draws:
            return self.exact.accepted
        return self.runs_passed / self.runs if self.runs else None

    @property
    def flips(self) -> bool:
        """Whether the verdict on the reference differed between runs."""
        return 0 < self.runs_passed < self.runs

    @property
    def trivial_baselines(self) -> list[str]:
        """The trivial baselines that pass although they are incorrect."""
        return [name for name in TRIVIAL if self.passed_by.get(name) and name not in self.right]

    @property
    def fooled_by(self) -> list[str]:
        """The names of the adversarial programs that the check accepts.

        The list is left empty if the check is known to be so weak that it accepts even a program that returns None.
        """
        return [name for name in ADVERSARIAL if self.passed_by.get(name) and "nothing" not in self.weak]

    @property
    def sound(self) -> bool:
        """Whether the errata contain no label for the task (see `traces.record.labels`)."""
        return not self.labels


def score(counts: Counter[str]) -> float | None:
    """Return the share of rejected mutants among the incorrect mutants that ran, or None if no incorrect mutant ran."""
    return _share(counts["rejected"], counts["survived"])


def _share(rejected: int, passed: int) -> float | None:
    return rejected / (rejected + passed) if rejected + passed else None


def phantom_repair(accepted: Sequence[float], attempts: int = ATTEMPTS) -> float:
    """Return the expected number of tasks on which a correct answer fails at first and passes when it is submitted
    again.

    `accepted`: for each task, the probability that the check accepts a correct answer. Attempts are assumed to be
    independent.
    """
    return math.fsum((1 - p) - (1 - p) ** attempts for p in accepted)


@dataclass(frozen=True)
class Certificate:
    """The audit of a suite under one rule."""

    suite: str
    version: str
    content_hash: str
    rule: str
    settings: Settings
    tasks: tuple[TaskAudit, ...]

    def totals(self) -> dict[str, Any]:
        """Return summary statistics for all tasks together, per framework, and per kind of mutant."""
        frameworks = list(dict.fromkeys(task.framework for task in self.tasks))
        kinds: dict[str, Counter[str]] = {}
        for mutant in (mutant for task in self.tasks for mutant in task.mutants):
            kinds.setdefault(mutant.kind, Counter())[mutant.fate] += 1
        return {
            "all": _figures(self.tasks),
            "frameworks": {name: _figures([t for t in self.tasks if t.framework == name]) for name in frameworks},
            "kinds": {kind: dict(kinds[kind]) for kind in sorted(kinds)},
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a table with one row per task.

        `accepted`: the share of correct answers that the check accepted.
        """
        return [_row(task) for task in self.tasks]

    def to_json(self) -> dict[str, Any]:
        tasks = [{**dataclasses.asdict(t), "score": score(t.counts), "accepted": t.accepted} for t in self.tasks]
        return {**dataclasses.asdict(self), "tasks": tasks, "totals": self.totals()}


def _row(task: TaskAudit) -> dict[str, Any]:
    counts = task.counts
    ran = {
        "mutants": counts.total() - counts["raised"],
        "same": counts["equivalent"],
        "right": counts["right"],
        "rejected": counts["rejected"],
        "survived": counts["survived"],
    }
    return {
        "id": task.id,
        "framework": task.framework,
        **(ran if task.mutants else dict.fromkeys(ran)),
        "accepted": task.accepted,
        "note": "; ".join(_notes(task)),
    }


def _notes(task: TaskAudit) -> Iterator[str]:
    passed = [name for name in (*TRIVIAL, *ADVERSARIAL) if task.passed_by.get(name) and name not in task.right]
    if passed:
        yield f"passed by {', '.join(passed)}"
    if task.right:
        yield f"right: {', '.join(task.right)}"
    if task.counts["survived"]:
        survived = Counter(mutant.kind for mutant in task.mutants if mutant.fate == "survived")
        yield f"survived: {', '.join(f'{kind} {n}' if n > 1 else kind for kind, n in survived.items())}"
    if task.labels:
        yield ", ".join(task.labels)
    if task.reference not in {"pass", "none", "excluded"}:
        yield f"reference: {task.reference}"
    if task.flips:
        yield f"unstable verdict: {task.runs_passed} of {task.runs} runs pass"


def _figures(tasks: Sequence[TaskAudit]) -> dict[str, Any]:
    counts: Counter[str] = sum((task.counts for task in tasks), Counter())
    accepted = [task.accepted for task in tasks if task.accepted is not None]
    phantom = phantom_repair(accepted)
    return {
        "tasks": len(tasks),
        "references": dict(Counter(task.reference for task in tasks)),
        "passed_by": _passed_by(TRIVIAL, tasks),
        "referees": _passed_by(ADVERSARIAL, tasks),
        "fooled": [_name(task) for task in tasks if task.fooled_by],
        "labels": {label: [_name(task) for task in tasks if label in task.labels] for label in (*DOUBTS, "excluded")},
        "sound": sum(task.sound for task in tasks),
        "blanks_pass": {
            "all": [_name(task) for task in tasks if task.trivial_baselines],
            "sound": [_name(task) for task in tasks if task.trivial_baselines and task.sound],
        },
        "mutants": {"run": counts.total() - counts["raised"], **counts},
        "score": score(counts),
        "score_with_right": _share(counts["rejected"], counts["right"] + counts["survived"]),
        "fewest_mutants_run": min((t.counts.total() - t.counts["raised"] for t in tasks if t.mutants), default=None),
        "exact": _redraws([task.exact for task in tasks]),
        "sampled": _redraws([task.sampled for task in tasks]),
        "phantom_repair": {"tasks": phantom, "of": len(accepted), "attempts": ATTEMPTS},
        "flips": [_name(task) for task in tasks if task.flips],
        "faults": sum(task.faults for task in tasks),
    }


def _passed_by(programs: Iterable[str], tasks: Sequence[TaskAudit]) -> dict[str, list[str]]:
    tried = [name for name in programs if any(name in task.passed_by for task in tasks)]
    return {name: [_name(task) for task in tasks if task.passed_by.get(name)] for name in tried}


def _name(task: TaskAudit) -> str:
    return f"{task.id} {task.framework}"


def _redraws(parts: Sequence[Redraws]) -> dict[str, int]:
    return {"draws": sum(part.draws for part in parts), "rejected": sum(part.rejected for part in parts)}
