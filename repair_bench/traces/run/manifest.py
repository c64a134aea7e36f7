"""The manifest of a run, `run.json`: its experiment, environment and origin."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Self, TypeVar, Unpack, cast

from repair_bench.traces.faults import UsageError
from repair_bench.traces.files.atomic_file import write_whole
from repair_bench.traces.files.record_files import check_contained, read_json
from repair_bench.traces.record.labels import DOUBTS, Label
from repair_bench.traces.run.manifest_fields import (
    ExperimentFields,
    Fields,
    OriginFields,
    PlatformFields,
    ResourceFields,
    ResumedFields,
    ShardFields,
    check,
)
from repair_bench.traces.run.run_files import MANIFEST
from repair_bench.traces.run.study_lock import Comparison, StudyLock

T = TypeVar("T")


@dataclass(frozen=True)
class _Stated(Generic[T]):
    """A property that reads a field of the manifest or of its experiment. `nothing`: the value of a missing field."""

    name: str
    nothing: T
    in_experiment: bool = False

    def __get__(self, manifest: Manifest, _: type[Manifest]) -> T:
        fields: Mapping[str, Any] = manifest.experiment if self.in_experiment else manifest.stated
        value = fields.get(self.name)
        return cast(T, self.nothing if value is None else value)


@dataclass(frozen=True)
class Manifest:
    """A manifest. Properties whose fields are missing are None or empty.

    `stated`: the JSON object in the manifest's file, including keys that this program does not know. `planned`: the
    number of pairs of each preregistered comparison (`study.lock`); None if unknown.
    """

    stated: Fields
    planned: Mapping[Comparison, int] | None = None

    name = _Stated[str | None]("name", None)
    created_at = _Stated[str | None]("created_at", None)
    experiment = _Stated[ExperimentFields]("experiment", {})
    resources = _Stated[ResourceFields]("resources", {})
    platform = _Stated[PlatformFields]("platform", {})
    sandbox = _Stated[Mapping[str, Mapping[str, str]]]("sandbox", {})
    resumed = _Stated[Sequence[ResumedFields]]("resumed", ())
    shard = _Stated[ShardFields | None]("shard", None)
    simulated = _Stated[Sequence[str]]("simulated", ())
    episodes = _Stated[int | None]("episodes", None)
    repairs = _Stated[int | None]("max_attempts", None, in_experiment=True)
    conditions = _Stated[Mapping[str, Mapping[str, Any]]]("conditions", {}, in_experiment=True)
    suite_contents = _Stated[Mapping[str, Sequence[str]]]("suite_contents", {}, in_experiment=True)
    versions = _Stated[Mapping[str, Mapping[str, str]]]("versions", {}, in_experiment=True)
    origin = _Stated[OriginFields]("origin", {}, in_experiment=True)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(cast(Fields, data))

    @classmethod
    def read(cls, directory: Path) -> Self:
        """Read a run's manifest. Raises UsageError if the file is missing or unreadable; see `check_contained`."""
        path = directory / MANIFEST
        check_contained(directory)
        try:
            data = read_json(path)
            check(data)
        except FileNotFoundError as error:
            raise UsageError(f"{directory} is not a run: it has no {MANIFEST}") from error
        except ValueError as error:
            raise UsageError(f"{path} cannot be read: {error}") from None
        manifest, lock = cls.from_json(data), StudyLock.read(directory)
        return manifest if lock is None else replace(manifest, planned=lock.planned(manifest.experiment))

    def write(self, directory: Path) -> None:
        """Write the manifest atomically into a run directory, and sync it to disk. Raises UsageError."""
        text = json.dumps(self.stated, indent=2, ensure_ascii=False)
        write_whole(directory / MANIFEST, [text, "\n"], durable=True)

    def replaced(self, **fields: Unpack[Fields]) -> Manifest:
        """Return a copy of the manifest in which `fields` are set.

        Existing fields are replaced, and new fields are added at the end.
        """
        return replace(self, stated=cast(Fields, {**self.stated, **fields}))

    def without(self, *names: str) -> Manifest:
        left = {name: value for name, value in self.stated.items() if name not in names}
        return replace(self, stated=cast(Fields, left))

    def of_part(self) -> Manifest:
        """Return a manifest for a subset of the run's episodes, without the number of planned episodes."""
        return self.without("episodes")

    def of_choice(self) -> Manifest:
        """Return a manifest for a subset of episodes chosen after the fact; all its comparisons are exploratory."""
        part = self.of_part()
        return part if self.planned is None else replace(part, planned={})

    def planned_pairs(self, comparison: Comparison) -> int | None:
        """Return the planned number of pairs for a comparison, or None if the comparison was not planned.

        A comparison also counts as planned if it was planned with its two sides swapped.
        """
        planned = self.planned or {}
        return planned.get(comparison, planned.get(comparison.swapped))

    def exploratory(self, comparison: Comparison, pairs: int) -> bool | None:
        """Whether a comparison with this number of pairs is exploratory (was not planned); None if unknown."""
        return None if self.planned is None else self.planned_pairs(comparison) != pairs

    @property
    def is_fork(self) -> bool:
        """Whether the run repairs the failures of another run, or regrades a run that repairs such failures."""
        return "fork" in (self.origin.get("kind"), (self.origin.get("of") or {}).get("kind"))

    @property
    def is_regrade(self) -> bool:
        return self.origin.get("kind") == "regrade"

    @property
    def stops_by_value(self) -> bool:
        return bool(self.experiment.get("repair", {}).get("stop") == "value")

    def unused(self, data: Path | None, pythons: Mapping[str, str]) -> list[str]:
        """Return a sentence for each path in the manifest that is not used.

        Recorded paths are not trusted, because a third party may have written the manifest.
        """
        stated = self.stated.get("data")
        paths: list[str] = []
        if data is None and stated is not None:
            paths.append(f"the dataset folder {stated}; to use it, pass --data FOLDER")
        paths += [
            f"the interpreter {python} for {framework}; to use it, pass --python {framework}=INTERPRETER"
            for framework, python in (self.resources.get("pythons") or {}).items()
            if framework not in pythons
        ]
        return [f"{MANIFEST} names {path}. Recorded paths are used only if you pass them" for path in paths]

    def is_simulated(self, model: str) -> bool:
        return model in self.simulated

    def labelled(self, label: Label) -> list[tuple[str, str]]:
        """Return the (suite, task id) of each task with a label in `DOUBTS`."""
        return [(suite, task_id) for suite, task_id in (self.stated.get("labels") or {}).get(label) or ()]

    @property
    def doubted(self) -> dict[tuple[str, str], tuple[Label, ...]]:
        """The labels of each unsound task, by (suite, task id)."""
        labelled = {label: set(self.labelled(label)) for label in DOUBTS}
        tasks = sorted(set().union(*labelled.values()))
        return {task: tuple(label for label in DOUBTS if task in labelled[label]) for task in tasks}

    @property
    def titles(self) -> dict[tuple[str, str], str]:
        """The titles of tasks, by (suite, task id)."""
        return {(suite, task_id): title for suite, task_id, title in self.stated.get("titles") or ()}

    @property
    def excluded(self) -> list[tuple[str, ...]]:
        """The (suite, task id, framework, reason) of each task that could not be graded."""
        return [tuple(entry) for entry in self.stated.get("excluded") or ()]

    @property
    def exclusions(self) -> dict[str, int]:
        """The number of tasks that could not be graded, by reason."""
        return dict(Counter(str(reason) for *_, reason in self.excluded))

    @property
    def accepted(self) -> list[str]:
        """The accepted version changes, such as "numpy 2.4.6 -> 2.5.0 (qiskit)".

        For a fork, the list includes the accepted version changes of the original run.
        """
        return list(self.origin.get("accepted") or ()) + [
            f"{change_words(package, entry['changed'][name])} ({interpreter})"
            for entry in self.resumed
            for name in entry.get("accepted", ())
            for _, interpreter, package in [name.split(".", 2)]
        ]


def leaves(value: Mapping[str, Any], name: str = "") -> dict[str, Any]:
    """Return the values in nested objects by path, such as `platform.cores`. Lists are values."""
    found: dict[str, Any] = {}
    for key, inner in value.items():
        place = f"{name}.{key}" if name else key
        found.update(leaves(inner, place) if isinstance(inner, Mapping) else {place: inner})
    return found


def change_words(name: str, change: Sequence[Any]) -> str:
    """Describe a change as text, such as "numpy 2.4.6 -> 2.5.0"."""
    old, new = ("absent" if value is None else value for value in change)
    return f"{name} {old} -> {new}"
