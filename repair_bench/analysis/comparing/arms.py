"""What the conditions of a run have in common: which share their first answers, which differ in one setting alone."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from repair_bench.analysis.rates.metrics import Episode, group
from repair_bench.traces.run.manifest import Manifest

RESAMPLING = "none"
"""The feedback policy that tells nothing and shows nothing: the next attempt is a new sample."""
STARTS = {"starter": "starter code in the prompt", "assistant_prefill": "assistant prefill"}
"""The settings that begin an answer, and what they are called here. QuanBench+ calls both prefill."""


def policies(episodes: Iterable[Episode], manifest: Manifest) -> dict[str, str]:
    """The feedback policy of each condition, as stated; its name where nothing is."""
    names = sorted({episode.first.condition for episode in episodes})
    return {name: str(manifest.conditions.get(name, {}).get("feedback") or name) for name in names}


def prompts(episodes: Iterable[Episode]) -> dict[str, list[str]]:
    """Conditions by the prompt that they share: those that start from the same recorded first answers are its arms.

    Named by the first of them; groups and members sorted.
    """
    return sharing((e.first.condition, (e.first.model, e.first.id)) for e in episodes)


def sharing(firsts: Iterable[tuple[str, Hashable]]) -> dict[str, list[str]]:
    """Conditions that share a first answer, of (condition, first answer), each by the name of the first of its group.

    Groups and members sorted.
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
    """The arms of one model, suite and prompt: episodes by condition, frameworks and samples together."""

    model: str
    suite: str
    prompt: str
    arms: dict[str, list[Episode]]


def by_prompt(episodes: Iterable[Episode]) -> list[PromptArms]:
    """Every model, suite and prompt with its arms."""
    episodes = list(episodes)
    home = {name: prompt for prompt, members in prompts(episodes).items() for name in members}
    found: dict[tuple[str, str, str], dict[str, list[Episode]]] = {}
    for (model, suite, condition), members in group(episodes, "model", "suite", "condition").items():
        found.setdefault((model, suite, home[condition]), {})[condition] = members
    return [PromptArms(*key, parts) for key, parts in found.items()]


def firsts(episodes: Iterable[Episode]) -> list[Episode]:
    """The episodes of one arm of each prompt: the others start from the same first answers."""
    episodes = list(episodes)
    heads = prompts(episodes)
    return [e for e in episodes if e.first.condition in heads]


def control(
    condition: str,
    policy: str,
    among: Sequence[str],
    by_policy: Mapping[str, str],
    stated: Mapping[str, Mapping[str, Any]],
) -> str | None:
    """The arm `among` those of a prompt that has `policy` and otherwise the settings of `condition`; None without one.

    Resampling knows no history and no reasoning, so an arm of it with others will do.
    """
    candidates = [name for name in among if by_policy[name] == policy and name != condition]
    ignored: tuple[str, ...] = ("feedback",)
    for _ in range(2):
        for name in candidates:
            if not differ(stated.get(condition, {}), stated.get(name, {}), ignored):
                return name
        if policy != RESAMPLING:
            break
        ignored = ("feedback", "history", "reasoning")
    return None


def differ(first: Mapping[str, Any], second: Mapping[str, Any], ignored: Sequence[str] = ()) -> list[str]:
    """The names of the settings in which two conditions differ, leaving out some."""
    return [key for key in first.keys() | second.keys() if key not in ignored and first.get(key) != second.get(key)]


def start_pairs(episodes: Iterable[Episode], manifest: Manifest) -> list[tuple[str, str, str]]:
    """Conditions without and with a setting of `STARTS`, and that setting, where they differ in it alone.

    One pair for each two prompts, told by the first arm of each.
    """
    stated = manifest.conditions
    heads = [members[0] for members in prompts(episodes).values() if members[0] in stated]
    arm = ("feedback", "history", "repair_temperature", "max_attempts")
    return [
        (without, with_, start)
        for start in STARTS
        for without in heads
        for with_ in heads
        if not any(stated[without].get(name) for name in STARTS)
        and stated[with_].get(start)
        and differ(stated[without], stated[with_], arm) == [start]
    ]
