"""What must be said on the face of every table and plot, and the parts of a manifest that say it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from repair_bench.traces.metrics import Episode
from repair_bench.traces.row import Recorded

SMALL = 10
"""Below this number of episodes a rate is marked as too small to compare."""
SAMPLED_RULES = {
    "paper": "QuanBench+'s text",
    "released": "QuanBench+'s released code",
}
"""The rules that compare random shots, so that one answer can pass and fail; and whose they are."""


def repairs_of(attempts: Iterable[Recorded], manifest: Mapping[str, Any]) -> int:
    """N, the number of repair attempts of a run; for a manifest without it, the highest attempt number recorded."""
    stated = manifest.get("experiment", {}).get("max_attempts")
    return int(stated) if stated is not None else max((a.attempt for a in attempts), default=0)


def reference_wrong(manifest: Mapping[str, Any]) -> set[tuple[str, str]]:
    """The (suite, task id) whose reference is itself wrong."""
    return {(suite, task_id) for suite, task_id in manifest.get("reference_wrong") or ()}


def excluded(manifest: Mapping[str, Any]) -> dict[str, int]:
    """How many tasks could not be judged here, by reason, from entries [suite, task id, framework, reason]."""
    reasons: dict[str, int] = {}
    for *_, reason in manifest.get("excluded") or ():
        reasons[str(reason)] = reasons.get(str(reason), 0) + 1
    return reasons


def simulated(models: Iterable[str], manifest: Mapping[str, Any]) -> list[str]:
    """Those of `models` that are simulated. `manifest["simulated"]`: true for all of them, or a list of names."""
    stated = manifest.get("simulated") or []
    return sorted(set(models) if stated is True else set(models) & set(stated))


def regraded(paths: Iterable[Episode], manifest: Mapping[str, Any]) -> bool:
    """Whether the verdicts of a run are not those that its models were told."""
    origin = manifest.get("experiment", {}).get("origin") or {}
    return origin.get("kind") == "regrade" or any(e.off_policy for e in paths)


def sampled_rules(paths: Iterable[Episode]) -> list[str]:
    """The rules among those that judged the episodes under which a verdict depends on luck."""
    rules = {a.verdict.rule for e in paths for a in e.attempts if a.verdict is not None}
    return [rule for rule in SAMPLED_RULES if rule in rules]


def notices(paths: Sequence[Episode], manifest: Mapping[str, Any]) -> list[str]:
    """One sentence each: simulated models, a regraded or unfinished run, faults, a rule that luck has a part in."""
    repairs = repairs_of((a for e in paths for a in e.attempts), manifest)
    states = [e.state(repairs) for e in paths]
    models = {e.first.model for e in paths}
    made_up = simulated(models, manifest)
    said = []
    if made_up:
        which = "" if len(made_up) == len(models) == 1 else f": {', '.join(made_up)}"
        said.append(
            f"SIMULATED MODEL{'S' if len(made_up) > 1 else ''}{which}. These figures say nothing about a real model."
        )
    planned = manifest.get("episodes") or 0
    open_ = states.count("incomplete")
    if regraded(paths, manifest):
        if open_:
            said.append(
                f"REGRADED: {open_:,} of {count(len(paths), 'episode')} end where the new verdict departs from the one "
                "that the model was told. Rates leave them out and are too high; the repair curve is drawn as bounds."
            )
    elif open_ := open_ + max(0, planned - len(paths)):
        said.append(
            f"PARTIAL: {open_:,} of {count(max(planned, len(paths)), 'episode')} not finished and left out. "
            "Passes finish early, so rates tend to be too high until the run is complete."
        )
    if faults := states.count("fault"):
        said.append(f"FAULTS: {count(faults, 'episode')} left out because of an infrastructure fault.")
    said += [
        f"NOISY RULE: judged by the rule of {SAMPLED_RULES[rule]} ({rule}), random shots: the same code can fail and "
        "pass, and some repairs are luck."
        for rule in sampled_rules(paths)
    ]
    return said


def interval_note(series: Iterable[Iterable[Episode]]) -> str:
    """What the intervals of some sets of episodes are: over problems where any holds twins or samples of one."""
    for members in series:
        seen = [(e.first.suite, e.first.task_id) for e in members]
        if len(set(seen)) < len(seen):
            return "95% intervals over problems, whose framework twins and samples move together"
    return "95% Wilson intervals"


def count(n: int, noun: str) -> str:
    """A number and its noun, in the plural unless it is 1."""
    return f"{n:,} {noun}" + ("" if n == 1 else "s")
