"""The figures of a run, as JSON data: rates with their intervals, counts, sums."""

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
from repair_bench.traces.run.manifest import Manifest

_KEYS = ("model", "suite", "condition", "framework")


def summary(manifest: Manifest, attempts: Sequence[Recorded]) -> dict[str, Any]:
    """The figures of a run as `load_rows` gives it, as JSON data; what `--json` prints.

    `rows`: one a model, suite, condition and framework. `rows_sound`: the same over the sound tasks (`traces.labels`),
    empty when the manifest lists no other; `doubted`: how many are not sound, and how many have each label.
    `rows_without_guarded`: the same over the tasks of which no verdict is guarded (the test ran beside the candidate),
    empty where none is; `guarded` counts those verdicts and their tasks, a task in each framework by itself. `total`:
    sums over the whole run, each completion once.

    In a row, `fb[k]` is {"k", "solved", "rate", "low", "high"} with rates in 0..1 and a 95% interval, None without
    episodes: Wilson's where each episode is a problem of its own, over problems where a row holds several samples;
    `intervals` says which. `solved` of the `counted` episodes, whose first answer was judged, are known to be solved by
    then; where `faults` or `incomplete` ones were cut short, `rate` is Kaplan and Meier's, None where nothing was seen
    that far, and the section `bounds` says what it can be. `pass_at_1` is `fb[0]`'s rate. A sum is {"value", "known",
    "unknown"}: `value` is None when `unknown` completions did not report the figure, and `known` is the rest.
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
            f"UNDECIDED: in {n:,} of {count(len(compared), 'comparison')} of arms the sign or significance depends on "
            "episodes that were cut short (see the bounds of the difference)."
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
    answers = metrics.completions(attempts)
    sums = {
        "prompt_tokens": metrics.tokens(answers, "prompt_tokens"),
        "completion_tokens": metrics.tokens(answers, "completion_tokens"),
        "cost_usd": metrics.cost(answers),
    }
    return {name: {"value": t.value, "known": t.known, "unknown": t.unknown} for name, t in sums.items()}
