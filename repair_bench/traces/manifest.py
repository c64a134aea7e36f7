"""The manifest of a run, `run.json`: what was asked for, on what it ran, and where it came from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Self, TypedDict, Unpack, cast

import msgspec

from repair_bench.traces.faults import UsageError
from repair_bench.traces.labels import DOUBTS, Label, is_sound
from repair_bench.traces.reading import MANIFEST
from repair_bench.traces.record_files import check_contained, read_json
from repair_bench.traces.study_lock import Comparison, StudyLock
from repair_bench.traces.whole_file import write_whole


Counted = Annotated[int, msgspec.Meta(ge=0, le=10**9)]
"""A number that a run may have of something."""


class ShardFields(TypedDict):
    """Part `number` of `of`, counted from 1; of so many episodes that all parts have."""

    number: Counted
    of: Counted
    episodes_in_all: Counted | None


Pair = Annotated[Sequence[str], msgspec.Meta(min_length=2, max_length=2)]


class OriginFields(TypedDict, total=False):
    """The run that this one was made from, `kind` "fork" or "regrade"."""

    kind: str
    run: str
    """What it is called."""
    attempt: Counted
    """A fork's: the attempt whose failures were gone on from."""
    repairers: Sequence[str] | None
    """A fork's: the models that repair; None for each failure's own writer."""
    paths: Counted
    """A fork's: how many failures."""
    digest: str
    """A fork's: of the attempts that it began with."""
    conditions: Mapping[str, Mapping[str, Any]]
    """A fork's: those of the run, by name."""
    accepted: Sequence[str]
    """A fork's: what had changed of the run's versions while it was made (`Manifest.accepted`); unstated without."""
    answers: str
    """A regrade's: the digest of the answers that were graded again."""
    of: OriginFields | None
    """A regrade's: what the run was itself made from."""


class ExperimentFields(TypedDict, total=False):
    """All that must not change between sessions: the fields of the experiment, and what they were resolved to."""

    models: Sequence[str]
    suites: Sequence[str]
    frameworks: Sequence[str]
    rule: str
    require_sealed: bool
    max_attempts: Annotated[int, msgspec.Meta(ge=0, le=1_000)]
    samples: Counted
    limit: int | None
    seed: int
    api_base: str | None
    prompt: Sequence[Mapping[str, Any]]
    tools: Mapping[str, Any]
    repair: Mapping[str, Any]
    temperature: Mapping[str, Any]
    comparisons: Sequence[Mapping[str, Any]]
    protocol: str | None
    conditions: Mapping[str, Mapping[str, Any]]
    """The settings of each condition, by its name."""
    asked_with: Mapping[str, Mapping[str, Any]]
    """By provider, the settings that an answer may depend on."""
    suite_contents: Mapping[str, Pair]
    """[version, content hash] of each suite, by its name."""
    limits: Mapping[str, Mapping[str, float]]
    """What a program may use, `default`."""
    draws: str
    """"attempt": the rule compares random shots, and draws them anew for each attempt, by its name."""
    versions: Mapping[str, Mapping[str, str]]
    """What ran, by framework, and `driver`: packages with their versions."""
    origin: OriginFields
    """Where it was made from another run."""


class ResourceFields(TypedDict, total=False):
    """How a run is carried out: what may change between sessions."""

    providers: Mapping[str, Mapping[str, Any]]
    budget: Mapping[str, float | None]
    pythons: Mapping[str, str]
    """The interpreters that the run was given, by framework."""
    telemetry: Mapping[str, str | None]
    """Where spans are sent."""


class PlatformFields(TypedDict, total=False):
    """The machine that a run was begun on."""

    system: str
    machine: str
    cores: int | None


class MergedFields(TypedDict):
    """The shards that a run was joined of; `of`: how many there are in all."""

    of: Counted
    shards: Sequence[Mapping[str, Any]]


class RegradedFields(TypedDict):
    """The directory of the run whose answers were graded again, and what differs."""

    run: str
    differs: Sequence[str]


Change = Annotated[list[Any], msgspec.Meta(min_length=2, max_length=2)]
"""[old, new] of something that changed between two sessions; null: it was not there."""


class ResumedFields(TypedDict, total=False):
    """A session that found something changed since the last one, and went on."""

    at: str
    """When it began, in ISO 8601."""
    changed: Mapping[str, Change]
    """By its place, as in `versions.qiskit.matplotlib`, `platform.cores` or `resources.budget.max_cost`."""
    accepted: Sequence[str]
    """Of these, the versions that may decide a verdict: the user had them accepted."""


class Fields(TypedDict, total=False):
    """What `run.json` states, in its order. A run of an older version, or one joined of several, lacks some."""

    schema: int
    name: str
    created_at: str
    experiment: ExperimentFields
    data: str | None
    """The directory of the datasets that was given."""
    resources: ResourceFields
    platform: PlatformFields
    sandbox: Mapping[str, Mapping[str, str]]
    """By framework, the state of each layer; "on" is one."""
    episodes: Counted | None
    """How many are planned."""
    simulated: list[str] | bool
    """Names of models, or true for all of them."""
    labels: Mapping[str, Sequence[Pair]]
    """[suite, task id] of the tasks with each of the labels `DOUBTS` (`traces.labels`)."""
    reference_wrong: Sequence[Pair]
    """Of older runs, in place of `labels`: the wrong ones."""
    underspecified: Sequence[Pair]
    """Of older runs, in place of `labels`: the underspecified ones."""
    titles: Sequence[Annotated[Sequence[str], msgspec.Meta(min_length=3, max_length=3)]]
    """[suite, task id, title] of each task."""
    excluded: Sequence[Annotated[Sequence[str], msgspec.Meta(min_length=4, max_length=4)]]
    """[suite, task id, framework, reason] of each task that could not be judged."""
    nodes: Sequence[Mapping[str, Any]]
    """Of a cluster, as it was at the start."""
    shard: ShardFields
    """Where the run is a part of its experiment."""
    merged: MergedFields
    regraded_from: RegradedFields
    resumed: Sequence[ResumedFields]
    """What changed while it was made; unstated where nothing did."""


@dataclass(frozen=True)
class Manifest:
    """A manifest, and what can be asked of it; what it does not state is None or empty.

    `stated` is the JSON object as it stands in the file: its keys in their order, those of newer versions too, so that
    a manifest that is made from another and written again loses nothing.
    """

    stated: Fields
    planned: frozenset[Comparison] | None = None
    """The comparisons that were asked before the first answer (`study.lock`); None where that is not known."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The manifest that a JSON object is."""
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
            _check(msgspec.convert(data, Fields))
        except FileNotFoundError as error:
            raise UsageError(f"{directory} holds no run: there is no {MANIFEST} in it") from error
        except (msgspec.ValidationError, ValueError) as error:
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
        return part if self.planned is None else replace(part, planned=frozenset())

    def exploratory(self, comparison: Comparison) -> bool | None:
        """Whether it was not asked before the first answer; None where that is not known."""
        return None if self.planned is None else not {comparison, comparison.swapped} & self.planned

    @property
    def name(self) -> str | None:
        """What the run is called."""
        return self.stated.get("name")

    @property
    def created_at(self) -> str | None:
        """When it was begun, in ISO 8601."""
        return self.stated.get("created_at")

    @property
    def experiment(self) -> ExperimentFields:
        """All that must not change between sessions: the settings, and what they were resolved to."""
        return self.stated.get("experiment") or {}

    @property
    def repairs(self) -> int | None:
        """N, the number of repair attempts."""
        number = self.experiment.get("max_attempts")
        return None if number is None else int(number)

    @property
    def conditions(self) -> Mapping[str, Mapping[str, Any]]:
        """The settings of each condition, by its name."""
        return self.experiment.get("conditions") or {}

    @property
    def suite_contents(self) -> Mapping[str, Sequence[str]]:
        """[version, content hash] of each suite, by its name."""
        return self.experiment.get("suite_contents") or {}

    @property
    def versions(self) -> Mapping[str, Mapping[str, str]]:
        """What ran, by framework, and `driver`: packages with their versions."""
        return self.experiment.get("versions") or {}

    @property
    def origin(self) -> OriginFields:
        """The run that this one was made from, where it is a fork or a regrade."""
        return self.experiment.get("origin") or {}

    @property
    def is_regrade(self) -> bool:
        """Whether it was made by grading the answers of another run again."""
        return self.origin.get("kind") == "regrade"

    @property
    def stops_by_value(self) -> bool:
        """Whether it ended episodes, and began others, by what their next attempt was worth."""
        return bool(self.experiment.get("repair", {}).get("stop") == "value")

    @property
    def draws_anew(self) -> bool:
        """Whether each attempt had a draw of its own, where a rule compared random shots.

        Version 0.1.0 did not state it: there the same answer had the same shots, and the same verdict, at every
        attempt.
        """
        return "draws" in self.experiment or self.experiment.get("rule", "exact") == "exact"

    @property
    def resources(self) -> ResourceFields:
        """How it is carried out: what may change between sessions."""
        return self.stated.get("resources") or {}

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
        return [f"{MANIFEST} names {what} to use it, since a record does not choose what is read or run" for what in sentences]

    @property
    def platform(self) -> PlatformFields:
        """The machine: system, machine, cores."""
        return self.stated.get("platform") or {}

    @property
    def sandbox(self) -> Mapping[str, Mapping[str, str]]:
        """The state of each layer of the sandbox, by framework; "on" is one."""
        return self.stated.get("sandbox") or {}

    @property
    def episodes(self) -> int | None:
        """How many episodes are planned."""
        return self.stated.get("episodes")

    @property
    def simulated(self) -> list[str]:
        """The names of the simulated models."""
        stated = self.stated.get("simulated") or []
        return list(self.experiment.get("models") or ()) if isinstance(stated, bool) else list(stated)

    def is_simulated(self, model: str) -> bool:
        """Whether a model of the run is simulated."""
        return self.stated.get("simulated") is True or model in self.simulated

    def labelled(self, label: Label) -> list[tuple[str, str]]:
        """(suite, task id) of each task with a label of `DOUBTS`."""
        stated = self.stated
        older = {"wrong": stated.get("reference_wrong"), "underspecified": stated.get("underspecified")}
        return [(suite, task_id) for suite, task_id in stated.get("labels", older).get(label) or ()]

    @property
    def doubted(self) -> dict[tuple[str, str], tuple[Label, ...]]:
        """The labels of each task that is not sound, by (suite, task id); what is not here is sound."""
        held = {label: set(self.labelled(label)) for label in DOUBTS}
        tasks = sorted(set().union(*held.values()))
        labels = {task: tuple(label for label in DOUBTS if task in held[label]) for task in tasks}
        return {task: of_task for task, of_task in labels.items() if not is_sound(of_task)}

    @property
    def titles(self) -> dict[tuple[str, str], str]:
        """What a task is called besides its id, by suite and id; an older run states none."""
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
    def resumed(self) -> Sequence[ResumedFields]:
        """The sessions that found something changed since the one before, in their order."""
        return self.stated.get("resumed") or ()

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

    @property
    def shard(self) -> ShardFields | None:
        """Which part of its experiment the run is; None where it is all."""
        return self.stated.get("shard") or None


def _check(fields: Fields) -> None:
    """Raise ValueError for what the types of the fields do not say."""
    for entry in fields.get("resumed") or ():
        changed = entry.get("changed") or {}
        for name in entry.get("accepted") or ():
            if name not in changed or name.count(".") < 2:
                raise ValueError(f"`resumed` names {name!r}, which is no version that changed")
    shard = fields.get("shard")
    if shard and not 1 <= shard["number"] <= shard["of"]:
        raise ValueError("`shard` is not a part of a whole")


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
