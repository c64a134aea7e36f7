"""The fields of `run.json`, declared as types that validate a manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

import msgspec

Counted = Annotated[int, msgspec.Meta(ge=0, le=10**9)]


class ShardFields(TypedDict):
    """A shard of a run.

    `number`: the number of this shard, from 1. `of`: the number of shards. `episodes_in_all`: the number of episodes in
    all shards.
    """

    number: Counted
    of: Counted
    episodes_in_all: Counted | None


Pair = Annotated[Sequence[str], msgspec.Meta(min_length=2, max_length=2)]


class OriginFields(TypedDict, total=False):
    """The run or file from which this run was made. `kind`: "fork" (repairs of failed attempts) or "regrade"."""

    kind: str
    run: str
    attempt: Counted
    """In a fork: which failed attempt of each episode is repaired, given as the attempt's number within the episode."""
    repairers: Sequence[str] | None
    """In a fork: the repairing models; None if each failure is repaired by the model that wrote it."""
    paths: Counted
    """In a fork: the number of failed attempts that are repaired."""
    digest: str
    """In a fork: the digest of the copied attempts."""
    conditions: Mapping[str, Mapping[str, Any]]
    """In a fork: the conditions of the original run, keyed by name."""
    graded: Counted
    """In a run that repairs answers from a file (`first_answers`): the number of graded answers in the file, including
    correct answers."""
    others: Counted
    """In a run that repairs answers from a file: the number of answers whose task is excluded or does not belong to the
    run."""
    accepted: Sequence[str]
    """In a fork: the version changes that were accepted in the original run (see `Manifest.accepted`)."""
    answers: str
    """In a regrade: the digest of the regraded answers."""
    of: OriginFields | None
    """In a regrade: the field `origin` from the manifest of the run that was regraded."""


class ExperimentFields(TypedDict, total=False):
    """Everything that must not change between sessions: the experiment's fields, and the values derived from them."""

    models: Sequence[str]
    suites: Sequence[str]
    frameworks: Sequence[str]
    rule: str
    require_sealed: bool
    max_attempts: Annotated[int, msgspec.Meta(ge=0, le=1_000)]
    samples: Counted
    limit: int | None
    only: Mapping[str, Sequence[str]]
    seed: int
    api_base: str | None
    prompt: Sequence[Mapping[str, Any]]
    tools: Mapping[str, Any]
    repair: Mapping[str, Any]
    critic: Mapping[str, Any]
    first_answers: str | None
    """The name of the file of first answers; null if there is none."""
    temperature: Mapping[str, Any]
    comparisons: Sequence[Mapping[str, Any]]
    protocol: str | None
    conditions: Mapping[str, Mapping[str, Any]]
    """The settings of each condition, keyed by name."""
    asked_with: Mapping[str, Mapping[str, Any]]
    """The provider settings that can affect answers, by provider."""
    prompts: Mapping[str, str]
    """`version`: the version of the prompt and feedback texts."""
    suite_contents: Mapping[str, Pair]
    """The [version, content hash] of each suite, keyed by name."""
    limits: Mapping[str, Mapping[str, float]]
    """The resource limits for programs, under the key `default`."""
    versions: Mapping[str, Mapping[str, str]]
    """The package versions in each framework's interpreter, and in the tool's own interpreter (`driver`)."""
    origin: OriginFields
    """The origin of a run that was made from another run; otherwise absent."""


class ResourceFields(TypedDict, total=False):
    """Execution settings, which may change between sessions."""

    providers: Mapping[str, Mapping[str, Any]]
    budget: Mapping[str, float | None]
    pythons: Mapping[str, str]
    telemetry: Mapping[str, str | None]
    names: Mapping[str, str]
    """Short names for models, suites and conditions, keyed by full name."""


class PlatformFields(TypedDict, total=False):
    """The machine on which a run was started."""

    system: str
    machine: str
    cores: int | None


class MergedFields(TypedDict):
    """The shards from which a run was merged. `of`: the total number of shards of the run."""

    of: Counted
    shards: Sequence[Mapping[str, Any]]


class RegradedFields(TypedDict):
    """The directory of the run that this run regrades, and the differences between the two runs."""

    run: str
    differs: Sequence[str]


Change = Annotated[list[Any], msgspec.Meta(min_length=2, max_length=2)]
"""The list [old, new]: a field's value in the previous session and in this session. Null stands for an absent field."""


class ResumedFields(TypedDict, total=False):
    """A session of the run that differs from the previous session."""

    at: str
    """Start time in ISO 8601."""
    changed: Mapping[str, Change]
    """The changes, keyed by the path of the changed field, such as `versions.qiskit.matplotlib`, `platform.cores` or
    `resources.budget.max_cost`."""
    accepted: Sequence[str]
    """The version changes that can affect verdicts and that the user has accepted."""


class Fields(TypedDict, total=False):
    """The fields of `run.json` in order. Combined runs lack some."""

    schema: int
    name: str
    created_at: str
    experiment: ExperimentFields
    data: str | None
    """The folder that contains the datasets."""
    resources: ResourceFields
    platform: PlatformFields
    sandbox: Mapping[str, Mapping[str, str]]
    """The state of each sandbox layer, such as "on", by framework."""
    episodes: Counted | None
    """The number of planned episodes."""
    simulated: list[str]
    """The names of simulated models."""
    labels: Mapping[str, Sequence[Pair]]
    """The [suite, task id] pairs of the tasks, grouped by label in `DOUBTS` (`traces.record.labels`)."""
    titles: Sequence[Annotated[Sequence[str], msgspec.Meta(min_length=3, max_length=3)]]
    """The [suite, task id, title] of each task."""
    excluded: Sequence[Annotated[Sequence[str], msgspec.Meta(min_length=4, max_length=4)]]
    """The [suite, task id, framework, reason] of each task that could not be graded."""
    nodes: Sequence[Mapping[str, Any]]
    """The nodes of the cluster at the start of the run."""
    shard: ShardFields
    merged: MergedFields
    regraded_from: RegradedFields
    resumed: Sequence[ResumedFields]


def _stated(value: Any) -> Any:
    """Return a manifest with null fields removed, both from the manifest itself and from its experiment."""
    if not isinstance(value, dict):
        return value
    return {name: _stated(one) if name == "experiment" else one for name, one in value.items() if one is not None}


def check(data: Any) -> None:
    """Raise ValueError if a JSON value is not a valid manifest (invalid type, number out of bounds, contradiction)."""
    fields = msgspec.convert(_stated(data), Fields)
    for entry in fields.get("resumed") or ():
        changed = entry.get("changed") or {}
        for name in entry.get("accepted") or ():
            if name not in changed or name.count(".") < 2:
                raise ValueError(f"`resumed` lists {name!r} in `accepted`, but not in `changed`")
    shard = fields.get("shard")
    if shard and not 1 <= shard["number"] <= shard["of"]:
        raise ValueError("`shard.number` must be between 1 and `shard.of`")
