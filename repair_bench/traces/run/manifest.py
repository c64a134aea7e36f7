"""The manifest of a run, `run.json`: what was asked for, on what it ran, and where it came from."""

from __future__ import annotations

import json
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
    """A property that reads a field of the manifest, or of its experiment; `nothing` where it is not stated."""

    name: str
    nothing: T
    in_experiment: bool = False

    def __get__(self, manifest: Manifest, _: type[Manifest]) -> T:
        fields: Mapping[str, Any] = manifest.experiment if self.in_experiment else manifest.stated
        return cast(T, fields.get(self.name) or self.nothing)


@dataclass(frozen=True)
class Manifest:
    """A manifest, and what can be asked of it; what it does not state is None or empty.

    `stated` is the JSON object as it stands in the file: its keys in their order, those of newer versions too, so that
    a manifest that is made from another and written again loses nothing.
    """

    stated: Fields
    planned: Mapping[Comparison, int] | None = None
    """The comparisons that were asked before the first answer, and the pairs of each (`study.lock`); None where that is
    not known."""

    name = _Stated[str | None]("name", None)
    created_at = _Stated[str | None]("created_at", None)
    experiment = _Stated[ExperimentFields]("experiment", {})
    resources = _Stated[ResourceFields]("resources", {})
    platform = _Stated[PlatformFields]("platform", {})
    sandbox = _Stated[Mapping[str, Mapping[str, str]]]("sandbox", {})
    resumed = _Stated[Sequence[ResumedFields]]("resumed", ())
    shard = _Stated[ShardFields | None]("shard", None)
    conditions = _Stated[Mapping[str, Mapping[str, Any]]]("conditions", {}, in_experiment=True)
    suite_contents = _Stated[Mapping[str, Sequence[str]]]("suite_contents", {}, in_experiment=True)
    versions = _Stated[Mapping[str, Mapping[str, str]]]("versions", {}, in_experiment=True)
    origin = _Stated[OriginFields]("origin", {}, in_experiment=True)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(cast(Fields, data))

    @classmethod
    def read(cls, directory: Path) -> Self:
        """That of the run in `directory`. Raises UsageError when it is missing or cannot be read, or a file of the run
        stands elsewhere (`check_contained`).
        """
        path = directory / MANIFEST
        check_contained(directory)
        try:
            data = read_json(path)
            check(data)
        except FileNotFoundError as error:
            raise UsageError(f"{directory} holds no run: there is no {MANIFEST} in it") from error
        except ValueError as error:
            raise UsageError(f"{path} cannot be read: {error}") from None
        manifest, lock = cls.from_json(data), StudyLock.read(directory)
        return manifest if lock is None else replace(manifest, planned=lock.planned(manifest.experiment))

    def write(self, directory: Path) -> None:
        """Put it into a run directory, whole or not at all; it is durable on return. Raises UsageError."""
        text = json.dumps(self.stated, indent=2, ensure_ascii=False)
        write_whole(directory / MANIFEST, [text, "\n"], durable=True)

    def replaced(self, **fields: Unpack[Fields]) -> Manifest:
        """The manifest with these fields instead; new ones come last."""
        return replace(self, stated=cast(Fields, {**self.stated, **fields}))

    def without(self, *names: str) -> Manifest:
        """The manifest with these fields unstated."""
        left = {name: value for name, value in self.stated.items() if name not in names}
        return replace(self, stated=cast(Fields, left))

    def of_part(self) -> Manifest:
        """That of a part of the run, of which it is not known how many episodes were planned."""
        return self.without("episodes")

    def of_choice(self) -> Manifest:
        """That of a part that is chosen after the fact: whatever is asked of it was not planned."""
        part = self.of_part()
        return part if self.planned is None else replace(part, planned={})

    def planned_pairs(self, comparison: Comparison) -> int | None:
        """The number of pairs that `study.lock` plans for a comparison, either way round; None without a plan."""
        planned = self.planned or {}
        return planned.get(comparison, planned.get(comparison.swapped))

    def exploratory(self, comparison: Comparison, pairs: int) -> bool | None:
        """Whether a comparison of so many finished `pairs` is another than was asked before the first answer.

        A part of the planned pairs is: whoever looks at parts, and may stop at each, tests several times. None where it
        is not known what was planned.
        """
        return None if self.planned is None else self.planned_pairs(comparison) != pairs

    @property
    def repairs(self) -> int | None:
        """N, the number of repair attempts."""
        number = self.experiment.get("max_attempts")
        return None if number is None else int(number)

    @property
    def is_fork(self) -> bool:
        """Whether it goes on from the failures of another run, or grades such a run again."""
        return "fork" in (self.origin.get("kind"), (self.origin.get("of") or {}).get("kind"))

    @property
    def is_regrade(self) -> bool:
        """Whether it was made by grading the answers of another run again."""
        return self.origin.get("kind") == "regrade"

    @property
    def stops_by_value(self) -> bool:
        """Whether it ended episodes, and began others, by what their next attempt was worth."""
        return bool(self.experiment.get("repair", {}).get("stop") == "value")

    def unused(self, data: Path | None, pythons: Mapping[str, str]) -> list[str]:
        """What the manifest names of the machine that it was made on and nothing reads, a sentence each.

        A record may come from anybody, so it chooses neither what is executed nor which files are read. `data`,
        `pythons`: the dataset folder, and the interpreters by framework, that the user passed.
        """
        stated = self.stated.get("data")
        sentences = [] if data is not None or stated is None else [f"the datasets in {stated}: pass --data FOLDER"]
        sentences += [
            f"the interpreter {python} for {framework}: pass --python {framework}=INTERPRETER"
            for framework, python in (self.resources.get("pythons") or {}).items()
            if framework not in pythons
        ]
        return [
            f"{MANIFEST} names {what} to use it, since a record does not choose what is read or run"
            for what in sentences
        ]

    @property
    def episodes(self) -> int | None:
        return self.stated.get("episodes")

    @property
    def simulated(self) -> list[str]:
        return list(self.stated.get("simulated") or ())

    def is_simulated(self, model: str) -> bool:
        return model in self.simulated

    def labelled(self, label: Label) -> list[tuple[str, str]]:
        """(suite, task id) of each task with a label of `DOUBTS`."""
        return [(suite, task_id) for suite, task_id in (self.stated.get("labels") or {}).get(label) or ()]

    @property
    def doubted(self) -> dict[tuple[str, str], tuple[Label, ...]]:
        """The labels of each task that is not sound, by (suite, task id); what is not here is sound."""
        held = {label: set(self.labelled(label)) for label in DOUBTS}
        tasks = sorted(set().union(*held.values()))
        return {task: tuple(label for label in DOUBTS if task in held[label]) for task in tasks}

    @property
    def titles(self) -> dict[tuple[str, str], str]:
        """What a task is called besides its id, by suite and id."""
        return {(suite, task_id): title for suite, task_id, title in self.stated.get("titles") or ()}

    @property
    def excluded(self) -> list[tuple[str, ...]]:
        """(suite, task id, framework, reason) of each task that could not be judged."""
        return [tuple(entry) for entry in self.stated.get("excluded") or ()]

    @property
    def exclusions(self) -> dict[str, int]:
        """How many tasks could not be judged, by reason."""
        numbers: dict[str, int] = {}
        for *_, reason in self.excluded:
            numbers[str(reason)] = numbers.get(str(reason), 0) + 1
        return numbers

    @property
    def accepted(self) -> list[str]:
        """Changes of versions under way that may decide a verdict, in words: "numpy 2.4.6 -> 2.5.0 (qiskit)".

        A fork's are those of the run that it goes on from, too.
        """
        return list(self.origin.get("accepted") or ()) + [
            f"{change_words(package, entry['changed'][name])} ({interpreter})"
            for entry in self.resumed
            for name in entry.get("accepted", ())
            for _, interpreter, package in [name.split(".", 2)]
        ]


def leaves(value: Mapping[str, Any], name: str = "") -> dict[str, Any]:
    """The values of nested objects by their places, as in `platform.cores`. Lists are values."""
    found: dict[str, Any] = {}
    for key, inner in value.items():
        place = f"{name}.{key}" if name else key
        found.update(leaves(inner, place) if isinstance(inner, Mapping) else {place: inner})
    return found


def change_words(name: str, change: Sequence[Any]) -> str:
    """A change for people: "numpy 2.4.6 -> 2.5.0"."""
    old, new = ("absent" if value is None else value for value in change)
    return f"{name} {old} -> {new}"
