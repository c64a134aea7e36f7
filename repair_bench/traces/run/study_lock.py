"""`study.lock`: the preregistered comparisons of a study, written before its first request and never changed."""

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
    """A comparison: FB@`k` of `other` minus FB@`k` of `baseline` in a suite, paired by task, framework and sample.

    `by`: "condition" or "model", whichever is compared. `within`: the model whose conditions are compared, or the
    condition under which models are compared.
    """

    by: str
    suite: str
    within: str
    baseline: str
    other: str
    k: int

    @property
    def sides(self) -> frozenset[tuple[str, str, str]]:
        """The (model, suite, condition) of each side."""
        both = (self.baseline, self.other)
        if self.by == "model":
            return frozenset((model, self.suite, self.within) for model in both)
        return frozenset((self.within, self.suite, condition) for condition in both)

    @property
    def swapped(self) -> Comparison:
        return Comparison(self.by, self.suite, self.within, self.other, self.baseline, self.k)


@dataclass(frozen=True)
class _Planned(Comparison):
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
    """The content of `study.lock`, the preregistration of a study.

    `stated`: JSON data with the following keys:

    - `comparisons`: the comparisons, each with its number of `pairs`.
    - `conditions`: the conditions.
    - `suites`: the suites, each with its version and content hash.
    - `experiment`: the experiment.
    - `analysis`: the settings of the analysis.
    """

    stated: Mapping[str, Any]

    @classmethod
    def of(cls, comparisons: Mapping[Comparison, int], **parts: Mapping[str, Any]) -> Self:
        """Return the lock for a study. The same study gives the same lock on every machine.

        `comparisons`: each comparison with its number of pairs. `parts`: the remaining parts of `stated`.
        """
        listed = [{**asdict(one), "pairs": pairs} for one, pairs in comparisons.items()]
        return cls(json.loads(json.dumps({"comparisons": listed, **parts})))

    @classmethod
    def read(cls, directory: Path) -> Self | None:
        """Read the `study.lock` file of a run; return None if there is none.

        Raises UsageError if the file is unreadable or was changed after it was written.
        """
        path = directory / STUDY_LOCK
        try:
            data = read_json(path)
            msgspec.convert(data, _Stated)
        except FileNotFoundError:
            return None
        except (UsageError, msgspec.ValidationError) as error:
            raise UsageError(f"{path} cannot be read ({error}): restore the original file") from None
        written = data.pop(_HASH)
        lock = cls(data)
        if written != lock.hash:
            raise UsageError(f"{path} was changed after it was written: restore the original file")
        return lock

    def write(self, directory: Path) -> None:
        """Write `study.lock` atomically into a run directory, and sync it to disk. Raises UsageError."""
        text = json.dumps({**self.stated, _HASH: self.hash}, indent=1, ensure_ascii=False)
        write_whole(directory / STUDY_LOCK, [text, "\n"], durable=True)

    @cached_property
    def comparisons(self) -> dict[Comparison, int]:
        """The preregistered comparisons, and the number of pairs in each."""
        stated = msgspec.convert(self.stated["comparisons"], list[_Planned])
        return {Comparison(one.by, one.suite, one.within, one.baseline, one.other, one.k): one.pairs for one in stated}

    @property
    def hash(self) -> str:
        text = json.dumps(self.stated, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def planned(self, experiment: Mapping[str, Any]) -> Mapping[Comparison, int]:
        """Return the planned comparisons of a run; a regrade with a different rule or changed suites has none."""
        now = {name: list(content) for name, content in (experiment.get("suite_contents") or {}).items()}
        same = now == self.stated["suites"] and experiment.get("rule") == self.stated["experiment"].get("rule")
        return self.comparisons if same else {}
