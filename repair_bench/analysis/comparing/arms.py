"""Find the conditions of a run that share first answers or that differ in a single setting."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from repair_bench.analysis.rates.metrics import Episode, group
from repair_bench.traces.run.manifest import Manifest

RESAMPLING = "none"
"""The feedback policy that gives no feedback: each attempt is an independent sample."""
POLICY = ("feedback", "critic", "command")
"""The settings that determine the feedback."""
STARTS = {"starter": "starter code in the prompt", "assistant_prefill": "assistant prefill"}
"""The settings that supply the beginning of an answer, and the names of these settings in reports. QuanBench+ calls
both settings prefill."""


def policies(episodes: Iterable[Episode], manifest: Manifest) -> dict[str, str]:
    """Return each condition's feedback policy, or the condition's name if the manifest states no policy."""
    names = sorted({episode.first.condition for episode in episodes})
    return {name: str(manifest.conditions.get(name, {}).get("feedback") or name) for name in names}


def prompts(episodes: Iterable[Episode]) -> dict[str, list[str]]:
    """Return the groups of conditions that share recorded first answers, each keyed by its first condition."""
    return sharing((e.first.condition, (e.first.model, e.first.id)) for e in episodes)


def sharing(firsts: Iterable[tuple[str, Hashable]]) -> dict[str, list[str]]:
    """Group the conditions that share a first answer.

    In the returned dict, each group is a sorted list of conditions. The first condition in the list is also the key of
    the group.
    """
    home: dict[str, str] = {}
    seen: dict[Hashable, str] = {}

    def root(name: str) -> str:
        while home[name] != name:
            name = home[name]
        return name

    for name, first in firsts:
        home.setdefault(name, name)
        other = seen.setdefault(first, name)
        low, high = sorted((root(name), root(other)))
        home[high] = low
    groups: dict[str, list[str]] = {}
    for name in sorted(home):
        groups.setdefault(root(name), []).append(name)
    return groups


@dataclass(frozen=True)
class PromptArms:
    """The arms for one model, suite and prompt: the episodes by condition, pooled over frameworks and samples."""

    model: str
    suite: str
    prompt: str
    arms: dict[str, list[Episode]]


def by_prompt(episodes: Iterable[Episode]) -> list[PromptArms]:
    episodes = list(episodes)
    home = {name: prompt for prompt, members in prompts(episodes).items() for name in members}
    found: dict[tuple[str, str, str], dict[str, list[Episode]]] = {}
    for (model, suite, condition), members in group(episodes, "model", "suite", "condition").items():
        found.setdefault((model, suite, home[condition]), {})[condition] = members
    return [PromptArms(*key, parts) for key, parts in found.items()]


def firsts(episodes: Iterable[Episode]) -> list[Episode]:
    """Return, for each model, suite and prompt, the episodes of the arm with the most episodes.

    One arm is enough, because all arms with the same prompt share their first answers. An arm from a fork may contain
    only the first answers that failed.
    """
    groups = [[found.arms[name] for name in sorted(found.arms)] for found in by_prompt(episodes)]
    return [episode for arms in groups for episode in max(arms, key=len)]


def control(
    condition: str,
    policy: str,
    among: Sequence[str],
    by_policy: Mapping[str, str],
    stated: Mapping[str, Mapping[str, Any]],
) -> str | None:
    """Return the arm with the feedback policy `policy` and otherwise the same settings as `condition`, or None.

    A resampling arm may also differ in `history` and `reasoning`, because these settings have no effect on resampling.
    """
    candidates = [name for name in among if by_policy[name] == policy and name != condition]
    unused = (POLICY, (*POLICY, "history", "reasoning")) if policy == RESAMPLING else (POLICY,)
    for ignored in unused:
        for name in candidates:
            if not differ(stated.get(condition, {}), stated.get(name, {}), ("feedback", *ignored)):
                return name
    return None


def differ(first: Mapping[str, Any], second: Mapping[str, Any], ignored: Sequence[str] = ()) -> list[str]:
    """Return the settings in which two conditions differ, excluding those in `ignored`."""
    return [key for key in first.keys() | second.keys() if key not in ignored and first.get(key) != second.get(key)]


def start_pairs(episodes: Iterable[Episode], manifest: Manifest) -> list[tuple[str, str, str]]:
    """Return (condition without the setting, condition with it, setting) for each pair of conditions that differ only
    in one setting of `STARTS`.

    Conditions with the same prompt are represented by the first of these conditions.
    """
    stated = manifest.conditions
    heads = [members[0] for members in prompts(episodes).values() if members[0] in stated]
    arm = (*POLICY, "history", "repair_temperature", "max_attempts")
    return [
        (without, with_, start)
        for start in STARTS
        for without in heads
        for with_ in heads
        if not any(stated[without].get(name) for name in STARTS)
        and stated[with_].get(start)
        and differ(stated[without], stated[with_], arm) == [start]
    ]
