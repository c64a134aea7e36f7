"""The fields of `run.json`. A manifest is checked against these types when it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

import msgspec

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
    prompts: Mapping[str, str]
    """`version`: the wording of the prompts and of the feedback."""
    suite_contents: Mapping[str, Pair]
    """[version, content hash] of each suite, by its name."""
    limits: Mapping[str, Mapping[str, float]]
    """What a program may use, `default`."""
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
    names: Mapping[str, str]
    """Short names of models, suites and conditions, by their full names."""


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
    """What `run.json` states, in its order. Runs that are read as one lack some."""

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
    simulated: list[str]
    """Names of models."""
    labels: Mapping[str, Sequence[Pair]]
    """[suite, task id] of the tasks with each of the labels `DOUBTS` (`traces.labels`)."""
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


def _stated(value: Any) -> Any:
    """The fields of a manifest and of its experiment that are stated: null says nothing."""
    if not isinstance(value, dict):
        return value
    return {name: _stated(one) if name == "experiment" else one for name, one in value.items() if one is not None}


def check(data: Any) -> None:
    """Raise ValueError where a JSON value is not a manifest: a wrong type, a number out of bounds, a contradiction."""
    fields = msgspec.convert(_stated(data), Fields)
    for entry in fields.get("resumed") or ():
        changed = entry.get("changed") or {}
        for name in entry.get("accepted") or ():
            if name not in changed or name.count(".") < 2:
                raise ValueError(f"`resumed` names {name!r}, which is no version that changed")
    shard = fields.get("shard")
    if shard and not 1 <= shard["number"] <= shard["of"]:
        raise ValueError("`shard` is not a part of a whole")
