"""`study.lock`: what a study asks, written before its first request. Nothing changes it afterwards."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypedDict

import msgspec

from repair_bench.traces.faults import UsageError
from repair_bench.traces.files.atomic_file import write_whole
from repair_bench.traces.files.record_files import read_json

STUDY_LOCK = "study.lock"
_HASH = "sha256"


@dataclass(frozen=True, order=True)
class Comparison:
    """FB@`k` of `other` minus that of `baseline` in a suite: all frameworks and samples, paired by task and sample.

    `by`: what the two are, "condition" or "model". Conditions are compared `within` a model, models `within` a
    condition.
    """

    by: str
    suite: str
    within: str
    baseline: str
    other: str
    k: int

    @property
    def sides(self) -> frozenset[tuple[str, str, str]]:
        """(model, suite, condition) of both sides."""
        both = (self.baseline, self.other)
        if self.by == "model":
            return frozenset((model, self.suite, self.within) for model in both)
        return frozenset((self.within, self.suite, condition) for condition in both)

    @property
    def swapped(self) -> Comparison:
        """The same question, asked the other way round."""
        return Comparison(self.by, self.suite, self.within, self.other, self.baseline, self.k)


@dataclass(frozen=True)
class _Planned(Comparison):
    """A comparison as the lock states it, with the number of its pairs."""

    pairs: int


class _StatedExperiment(TypedDict, total=False):
    rule: str


class _Stated(TypedDict):
    comparisons: list[_Planned]
    suites: dict[str, list[str]]
    experiment: _StatedExperiment
    sha256: str


@dataclass(frozen=True)
class StudyLock:
    """`stated`: `comparisons`, each with the number of its `pairs`, `conditions`, `suites` with version and content
    hash, the `experiment` and the `analysis` that decides, as JSON data.
    """

    stated: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        comparisons: Mapping[Comparison, int],
        *,
        conditions: Mapping[str, Any],
        suites: Mapping[str, Any],
        experiment: Mapping[str, Any],
        analysis: Mapping[str, Any],
    ) -> Self:
        """The lock of a study; the same study has the same one, wherever it is made.

        `comparisons`: the number of pairs of each.
        """
        stated = {
            "comparisons": [{**asdict(one), "pairs": pairs} for one, pairs in comparisons.items()],
            "conditions": conditions,
            "suites": suites,
            "experiment": experiment,
            "analysis": analysis,
        }
        return cls(json.loads(json.dumps(stated)))

    @classmethod
    def read(cls, directory: Path) -> Self | None:
        """That of the run in `directory`; None where it has none.

        Raises UsageError when it cannot be read, or is not as it was written.
        """
        path = directory / STUDY_LOCK
        try:
            data = read_json(path)
            msgspec.convert(data, _Stated)
        except FileNotFoundError:
            return None
        except (UsageError, msgspec.ValidationError) as error:
            raise UsageError(f"{path} cannot be read ({error}): put back the one that the run began with") from None
        written = data.pop(_HASH)
        lock = cls(data)
        if written != lock.hash:
            raise UsageError(f"{path} was changed after it was written: put back the one that the run began with")
        return lock

    def write(self, directory: Path) -> None:
        """Put it into a run directory, whole or not at all; it is durable on return. Raises UsageError."""
        text = json.dumps({**self.stated, _HASH: self.hash}, indent=1, ensure_ascii=False)
        write_whole(directory / STUDY_LOCK, [text, "\n"], durable=True)

    @cached_property
    def comparisons(self) -> dict[Comparison, int]:
        """What was asked before the first answer, each with the number of its pairs."""
        stated = msgspec.convert(self.stated["comparisons"], list[_Planned])
        return {Comparison(one.by, one.suite, one.within, one.baseline, one.other, one.k): one.pairs for one in stated}

    @property
    def hash(self) -> str:
        text = json.dumps(self.stated, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def planned(self, experiment: Mapping[str, Any]) -> Mapping[Comparison, int]:
        """The comparisons that a run of this experiment makes as they were planned, each with its pairs.

        None of them where another rule, or other contents of a suite, judge it now: a regrade.
        """
        now = {name: list(content) for name, content in (experiment.get("suite_contents") or {}).items()}
        same = now == self.stated["suites"] and experiment.get("rule") == self.stated["experiment"].get("rule")
        return self.comparisons if same else {}
