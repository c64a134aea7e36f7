"""The figures of a run as JSON data: rates with intervals, counts, and sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from repair_bench.analysis.comparing.effects import effects_of_arms
from repair_bench.analysis.rates import metrics
from repair_bench.analysis.rates.curves import curve_intervals
from repair_bench.analysis.rates.metrics import FB_NOTE, Episode
from repair_bench.analysis.runs.notices import guarded, interval_note, notices, repairs_of
from repair_bench.text import count
from repair_bench.traces.record.labels import DOUBTS
from repair_bench.traces.record.lazy_attempt import Recorded, task_key
from repair_bench.traces.record.records import Completion
from repair_bench.traces.run.manifest import Manifest

_KEYS = ("model", "suite", "condition", "framework")


def summary(manifest: Manifest, attempts: Sequence[Recorded]) -> dict[str, Any]:
    """Return the rates, counts and sums of a run as JSON data, as printed by `--json`.

    `rows`: one per model, suite, condition and framework. `rows_sound`: like `rows`, but without the tasks that are
    labelled as doubtful. `rows_without_guarded`: like `rows`, but without the tasks that have a verdict from a guarded
    test. A guarded test runs in the same process as the candidate. `rows_sound` is empty if there are no doubtful
    tasks. `rows_without_guarded` is empty if no task has a verdict from a guarded test. `doubted`, `guarded`: the
    numbers of tasks that are excluded from `rows_sound` and from `rows_without_guarded`, respectively. `total`: sums
    over the run, in which each completion is counted once.

    In each row, `fb[k]` has the keys "k", "solved", "rate", "low" and "high". The rate and the limits of its 95%
    interval are between 0 and 1, or None if they are unknown. `intervals`: the kind of interval. `solved`: the number
    of `counted` episodes that are known to be solved. If any episode is censored (`faults` or `incomplete` is not 0),
    `rate` is the Kaplan-Meier estimate. Every sum has the keys "value", "known" and "unknown". `unknown` is the number
    of completions for which the quantity is unknown; `value` is None unless `unknown` is 0. `roles` is present if the
    completions have several roles. For each role, `roles` contains the number of completions (`queries`) and the sums
    of their tokens and costs.
    """
    episodes = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    doubted = manifest.doubted
    sound = [e for e in episodes if (e.first.suite, e.first.task_id) not in doubted]
    verdicts = guarded(episodes)
    sealed = [e for e in episodes if task_key(e.first) not in verdicts]
    return {
        "rows": _rows(episodes, repairs),
        "rows_sound": _rows(sound, repairs) if doubted else [],
        "rows_without_guarded": _rows(sealed, repairs) if verdicts else [],
        "total": {"episodes": len(episodes), **_sums(attempts)},
        "doubted": {
            "tasks": len(doubted),
            **{label: sum(label in labels for labels in doubted.values()) for label in DOUBTS},
        },
        "guarded": {"verdicts": sum(verdicts.values()), "tasks": len(verdicts)},
        "excluded": manifest.exclusions,
        "notices": [*notices(episodes, manifest), *_undecided(episodes, manifest, repairs)],
        "intervals": interval_note(metrics.group(episodes, *_KEYS).values()),
        "note": FB_NOTE,
    }


def _undecided(episodes: Sequence[Episode], manifest: Manifest, repairs: int) -> Iterator[str]:
    if len(metrics.counted(episodes, repairs)) == len(episodes):
        return
    compared = effects_of_arms(episodes, manifest, repairs)
    if n := sum(one.effect.undecided for one in compared):
        yield (
            f"UNDECIDED: in {n:,} of {count(len(compared), 'comparison')} between arms, the sign or significance "
            "of the difference depends on censored episodes (see the bounds on each difference)."
        )


def _rows(episodes: Sequence[Episode], repairs: int) -> list[dict[str, Any]]:
    return [
        {**dict(zip(_KEYS, key, strict=True)), **_row(members, repairs)}
        for key, members in metrics.group(episodes, *_KEYS).items()
    ]


def _row(episodes: Sequence[Episode], repairs: int) -> dict[str, Any]:
    curve = metrics.curve(episodes, repairs)
    points = [
        {"k": k, "solved": solved, "rate": point.estimate, "low": point.low, "high": point.high}
        for k, (solved, point) in enumerate(zip(curve.solved, curve_intervals(episodes, repairs), strict=True))
    ]
    return {
        "tasks": len({(e.first.suite, e.first.task_id) for e in episodes}),
        "episodes": len(episodes),
        "counted": curve.n,
        "faults": curve.faults,
        "incomplete": curve.incomplete,
        "pass_at_1": points[0]["rate"],
        "fb": points,
        **_sums([a for e in episodes for a in e.attempts]),
    }


def _sums(attempts: Sequence[Recorded]) -> dict[str, Any]:
    by_role = {role: made for role in metrics.ROLES if (made := metrics.completions(attempts, [role]))}
    roles = {role: {"queries": len(made), **_sum(made)} for role, made in by_role.items()}
    total = _sum([one for made in by_role.values() for one in made])
    return {**total, "roles": roles} if len(roles) > 1 else total


def _sum(made: Sequence[Completion]) -> dict[str, Any]:
    sums = {
        "prompt_tokens": metrics.tokens(made, "prompt_tokens"),
        "completion_tokens": metrics.tokens(made, "completion_tokens"),
        "cost_usd": metrics.cost(made),
    }
    return {name: {"value": t.value, "known": t.known, "unknown": t.unknown} for name, t in sums.items()}
