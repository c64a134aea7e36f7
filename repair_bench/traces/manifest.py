"""The manifest of a run, `run.json`: what was asked for, on what it ran, and where it came from."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypedDict, Unpack, cast

from repair_bench.traces.faults import UsageError
from repair_bench.traces.journal import sync_directory
from repair_bench.traces.reading import MANIFEST

UNFINISHED = f"{MANIFEST}.new"
"""A manifest that is being written; a kill may leave it behind."""


class ShardFields(TypedDict):
    """Part `number` of `of`, counted from 1; of so many episodes that all parts have."""

    number: int
    of: int
    episodes_in_all: int | None


class Fields(TypedDict, total=False):
    """What `run.json` states, in its order. A run of an older version, or one joined of several, lacks some."""

    schema: int
    name: str
    created_at: str
    experiment: dict[str, Any]
    """All that must not change between sessions: the settings, and what they were resolved to."""
    data: str | None
    """The directory of the datasets that was given."""
    resources: dict[str, Any]
    """How it is carried out: what may change between sessions."""
    platform: dict[str, Any]
    sandbox: Mapping[str, Mapping[str, str]]
    """By framework, the state of each layer; "on" is one."""
    episodes: int | None
    """How many are planned."""
    simulated: list[str] | bool
    """Names of models, or true for all of them."""
    reference_wrong: Sequence[Sequence[str]]
    """[suite, task id] of each task whose reference is itself wrong."""
    underspecified: Sequence[Sequence[str]]
    """[suite, task id] of each task whose prompt leaves open a convention that its check decides."""
    titles: Sequence[Sequence[str]]
    """[suite, task id, title] of each task."""
    excluded: Sequence[Sequence[str]]
    """[suite, task id, framework, reason] of each task that could not be judged."""
    nodes: Sequence[Mapping[str, Any]]
    """Of a cluster, as it was at the start."""
    shard: ShardFields
    """Where the run is a part of its experiment."""
    merged: dict[str, Any]
    """The shards that the run was joined of."""
    regraded_from: dict[str, Any]
    """The run whose answers were graded again, and what differs."""


@dataclass(frozen=True)
class Manifest:
    """A manifest, and what can be asked of it; what it does not state is None or empty.

    `stated` is the JSON object as it stands in the file: its keys in their order, those of newer versions too, so that
    a manifest that is made from another and written again loses nothing.
    """

    stated: Fields

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The manifest that a JSON object is."""
        return cls(cast(Fields, data))

    @classmethod
    def read(cls, directory: Path) -> Self:
        """That of the run in `directory`. Raises UsageError when it is missing or cannot be read."""
        path = directory / MANIFEST
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise UsageError(f"{directory} holds no run: there is no {MANIFEST} in it") from error
        except (OSError, ValueError) as error:
            raise UsageError(f"{path} cannot be read: {error}") from error
        if not isinstance(data, dict):
            raise UsageError(f"{path} cannot be read: it is not a JSON object")
        return cls.from_json(data)

    def write(self, directory: Path) -> None:
        """Put it into a run directory, whole or not at all; it is durable on return. Raises OSError."""
        new = directory / UNFINISHED
        with new.open("w", encoding="utf-8") as file:
            json.dump(self.stated, file, indent=2, ensure_ascii=False)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        new.rename(directory / MANIFEST)
        sync_directory(directory)

    def replaced(self, **fields: Unpack[Fields]) -> Manifest:
        """The manifest with these fields instead; new ones come last."""
        return Manifest({**self.stated, **fields})

    def without(self, *names: str) -> Manifest:
        """The manifest with these fields unstated."""
        return Manifest.from_json({name: value for name, value in self.stated.items() if name not in names})

    def of_part(self) -> Manifest:
        """That of a part of the run, of which it is not known how many episodes were planned."""
        return self.without("episodes")

    @property
    def name(self) -> str | None:
        """What the run is called."""
        return self.stated.get("name")

    @property
    def created_at(self) -> str | None:
        """When it was begun, in ISO 8601."""
        return self.stated.get("created_at")

    @property
    def experiment(self) -> dict[str, Any]:
        """All that must not change between sessions: the settings, and what they were resolved to."""
        return self.stated.get("experiment") or {}

    @property
    def repairs(self) -> int | None:
        """N, the number of repair attempts."""
        number = self.experiment.get("max_attempts")
        return None if number is None else int(number)

    @property
    def conditions(self) -> dict[str, dict[str, Any]]:
        """The settings of each condition, by its name."""
        return {str(name): dict(settings) for name, settings in (self.experiment.get("conditions") or {}).items()}

    @property
    def suite_contents(self) -> dict[str, Sequence[str]]:
        """[version, content hash] of each suite, by its name."""
        return self.experiment.get("suite_contents") or {}

    @property
    def versions(self) -> dict[str, dict[str, str]]:
        """What ran, by framework, and `driver`: packages with their versions."""
        return self.experiment.get("versions") or {}

    @property
    def origin(self) -> dict[str, Any]:
        """The run that this one was made from, where it is a fork or a regrade."""
        return self.experiment.get("origin") or {}

    @property
    def is_regrade(self) -> bool:
        """Whether it was made by grading the answers of another run again."""
        return self.origin.get("kind") == "regrade"

    @property
    def data(self) -> Path | None:
        """Where the run had its datasets."""
        data = self.stated.get("data")
        return Path(data) if data else None

    @property
    def resources(self) -> dict[str, Any]:
        """How it is carried out: what may change between sessions."""
        return self.stated.get("resources") or {}

    @property
    def pythons(self) -> dict[str, str]:
        """The interpreters that the run was given, by framework."""
        return dict(self.resources.get("pythons") or {})

    @property
    def platform(self) -> dict[str, Any]:
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

    @property
    def reference_wrong(self) -> list[tuple[str, str]]:
        """(suite, task id) of each task whose reference is itself wrong."""
        return [(suite, task_id) for suite, task_id in self.stated.get("reference_wrong") or ()]

    @property
    def underspecified(self) -> list[tuple[str, str]]:
        """(suite, task id) of each task whose prompt leaves open a convention that its check decides."""
        return [(suite, task_id) for suite, task_id in self.stated.get("underspecified") or ()]

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
    def shard(self) -> ShardFields | None:
        """Which part of its experiment the run is; None where it is all."""
        return self.stated.get("shard") or None
