"""What the conditions of a run have in common: which share their first answers, which differ in one setting alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from repair_bench.traces.metrics import Episode

RESAMPLING = "none"
"""The feedback policy that tells nothing and shows nothing: the next attempt is a new sample."""


def settings(manifest: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What the manifest states of each condition, by its name; empty where it states nothing."""
    return {
        str(name): dict(stated) for name, stated in (manifest.get("experiment", {}).get("conditions") or {}).items()
    }


def policies(paths: Iterable[Episode], manifest: Mapping[str, Any]) -> dict[str, str]:
    """The feedback policy of each condition: as stated, else as recorded with its attempts, else its name."""
    stated = settings(manifest)
    found: dict[str, str] = {}
    recorded: dict[str, str] = {}
    for episode in paths:
        name = episode.first.condition
        found.setdefault(name, str(stated.get(name, {}).get("feedback") or name))
        if name not in recorded and name not in stated:
            told = next((a.feedback.policy for a in episode.attempts if a.feedback is not None), None)
            if told is not None:
                recorded[name] = told
    return dict(sorted({**found, **recorded}.items()))


def prompts(paths: Iterable[Episode]) -> dict[str, list[str]]:
    """Conditions by the prompt that they share: those that start from the same recorded first answers are its arms.

    Named by the first of them; groups and members sorted.
    """
    home: dict[str, str] = {}
    seen: dict[tuple[str, str], str] = {}

    def root(name: str) -> str:
        while home[name] != name:
            name = home[name]
        return name

    for episode in paths:
        name = episode.first.condition
        home.setdefault(name, name)
        other = seen.setdefault((episode.first.model, episode.first.id), name)
        low, high = sorted((root(name), root(other)))
        home[high] = low
    groups: dict[str, list[str]] = {}
    for name in sorted(home):
        groups.setdefault(root(name), []).append(name)
    return groups


def control(
    condition: str,
    policy: str,
    among: Sequence[str],
    by_policy: Mapping[str, str],
    stated: Mapping[str, Mapping[str, Any]],
) -> str | None:
    """The arm `among` those of a prompt that has `policy` and otherwise the settings of `condition`; None without one.

    Resampling has no history, so an arm of it with another history will do.
    """
    candidates = [name for name in among if by_policy[name] == policy and name != condition]
    ignored: tuple[str, ...] = ("feedback",)
    for _ in range(2):
        for name in candidates:
            if not differ(stated.get(condition, {}), stated.get(name, {}), ignored):
                return name
        if policy != RESAMPLING:
            break
        ignored = ("feedback", "history")
    return None


def differ(first: Mapping[str, Any], second: Mapping[str, Any], ignored: Sequence[str] = ()) -> list[str]:
    """The names of the settings in which two conditions differ, leaving out some."""
    return [key for key in first.keys() | second.keys() if key not in ignored and first.get(key) != second.get(key)]
