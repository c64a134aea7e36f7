"""Paired comparison of two runs, or of two models, conditions or rules within one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from repair_bench.analysis.comparing.bounds import difference_bound, stated
from repair_bench.analysis.comparing.effects import phantom_share
from repair_bench.analysis.comparing.horizon_ratios import ratios
from repair_bench.analysis.comparing.pairs import Pair, Paired, difference, differing, finished, p_value, pair, won_lost
from repair_bench.analysis.feedback_use.use import Observed, difference_in_use, left_out, use_of_feedback
from repair_bench.analysis.rates.curves import rate, solved_by
from repair_bench.analysis.rates.metrics import Episode, episodes
from repair_bench.analysis.rates.statistics import holm
from repair_bench.analysis.runs.join_runs import NO_ATTEMPTS, PINNED
from repair_bench.analysis.runs.notices import notices, regraded, repairs_of, sampled_rules
from repair_bench.text import listed
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.run.changes import changes
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.study_lock import Comparison

KEY = ("model", "suite", "task_id", "framework", "condition", "sample")
"""The fields that must be equal in both episodes of a pair, except for the field by which the two sides differ."""
FIELDS = ("model", "condition", "suite", "framework")
"""Fields of an attempt in which the two sides of a pair may differ."""
BY = (*FIELDS, "rule")
"""The fields by which a run can be split. `rule` is the grading rule."""
ALL = "all"
"""The name of the row for all frameworks."""
BETWEEN = ("interpreter",)
"""Fields that have the same value in all episodes of a run, and may differ from one run to another."""
_UNPLANNED: dict[str, bool | int | None] = {"exploratory": True, "planned_pairs": None}


@dataclass(frozen=True)
class Side:
    name: str
    episodes: list[Episode]
    manifest: Manifest
    repairs: int
    observed: Sequence[Observed] = ()
    """The episodes, as interpreted by the ideal observer."""


def of_run(name: str, manifest: Manifest, attempts: Sequence[Recorded], observed: Sequence[Observed] = ()) -> Side:
    """Return one side of a comparison. Raises UsageError if there are no attempts."""
    if not attempts:
        raise UsageError(f"{name}: {NO_ATTEMPTS}")
    return Side(name, episodes(attempts), manifest, repairs_of(attempts, manifest), observed)


def inside(run: Side, by: str, value: str) -> Side:
    """Return the episodes of a run whose field `by` equals `value`. Raises UsageError if no episode has this value."""
    there = values(run, by)
    if value not in there:
        raise UsageError(f"{run.name} has no {by} {value!r}. Choose from {listed(there)}.")
    part = [e for e in run.episodes if value_of(e, by) == value]
    observed = [one for one in run.observed if value_of(one.episode, by) == value]
    return Side(value, part, run.manifest.of_part(), run.repairs, observed)


def values(run: Side, by: str) -> list[str]:
    """Return the sorted values of a field in a run. Raises UsageError if the field is not in `BY`."""
    if by not in BY:
        raise UsageError(f"Runs cannot be compared by {by!r}. Choose from {', '.join(BY)}.")
    return sorted({value_of(e, by) for e in run.episodes})


def value_of(episode: Episode, by: str) -> str:
    if by == "rule":
        verdict = episode.first.verdict
        return "" if verdict is None else verdict.rule
    return str(getattr(episode.first, by))


def compare(
    a: Side, b: Side, by: str | None = None, k: int | None = None, certificate: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the comparison of A with B as JSON data. All differences are B minus A.

    `by`: the compared field, by default the only field in which the sides differ. `k`: the number of repairs, by
    default the maximum available on both sides. Raises UsageError if no episodes can be paired.

    `rows`: one row per framework, and one row for all frameworks. A row for FB@0 or FB@k contains the rates, the paired
    difference, the numbers of `won` and `lost` pairs and of `differing` problems, and `p`. `p_holm`: `p` adjusted for
    the tests of all rows except the rows for all frameworks, in which it is None. `bounds`: the bounds on the
    difference over all `recorded` pairs, including censored pairs. `exploratory`: true unless `study.lock` plans the
    comparison and all planned pairs are finished. `won`, `lost`: for each task, the number of won or lost pairs.
    `noise`: see `_noise`. `use`: the feedback utilisation of each side and the paired difference, or None (see `_use`).
    `horizons`: see `_horizons`.
    """
    if by not in {None, *BY, *BETWEEN}:
        raise UsageError(f"Runs cannot be compared by {by!r}. Choose from {', '.join((*BY, *BETWEEN))}.")
    if a.name == b.name:
        raise UsageError(f"{a.name} cannot be compared with itself. Pass two runs, or two values with --by and --in.")
    maximum = min(a.repairs, b.repairs)
    if k is not None and not 0 <= k <= maximum:
        raise UsageError(f"--k {k} is out of range: these runs have {maximum} repair rounds. Choose 0 to {maximum}.")
    last = maximum if k is None else k
    field = by or _differing(a, b)
    key = tuple(name for name in KEY if name != field)
    try:
        paired = pair(a.episodes, b.episodes, key)
    except UsageError as error:
        raise UsageError(
            f"Episodes cannot be paired one-to-one: {error}. Narrow the selection with --only or set --by."
        ) from None
    if not paired.pairs:
        raise UsageError(_nothing_pairs(a, b, field))
    frameworks = sorted({x.first.framework for x, _ in paired.pairs})
    rows = [
        _row(paired, at, framework)
        for at in dict.fromkeys((0, last))
        for framework in [*frameworks, *([ALL] if len(frameworks) > 1 else [])]
    ]
    for row, adjusted in zip(rows, holm([None if row["framework"] == ALL else row["p"] for row in rows]), strict=True):
        row["p_holm"] = adjusted
    if a.manifest.planned is not None or b.manifest.planned is not None:
        for row in rows:
            complete = len(frameworks) == 1 or row["framework"] == ALL
            row.update(_planned(a, b, field, paired, row["k"]) if complete else _UNPLANNED)
    changed = won_lost(paired, last)
    use = _use(a, b, paired, last)
    warnings = [*_pooled(paired, field), *_undecided(rows)]
    for side in (a, b):
        of_side = notices(side.episodes, side.manifest) + (left_out(side.observed, side.repairs) if use else [])
        warnings += [f"{side.name}: {notice}" for notice in of_side]
    return {
        "a": a.name,
        "b": b.name,
        "by": field,
        "k": last,
        "pairs": len(paired.pairs),
        "alone": paired.alone,
        "rows": rows,
        "won": _tasks(changed.won),
        "lost": _tasks(changed.lost),
        "noise": _noise(paired, last, certificate),
        "use": use,
        "horizons": _horizons(paired, last),
        "differs": _differs(a, b),
        "notices": warnings,
    }


def _pooled(both: Paired, by: str | None) -> list[str]:
    found = []
    for name in ("model", "suite", "condition"):
        names = sorted({value_of(x, name) for x, _ in both.pairs})
        if name != by and len(names) > 1:
            chosen = f"Choose one with --only {name}={names[0]}."
            found.append(f"POOLED: each row is an average over {len(names)} {name}s ({listed(names)}). {chosen}")
    return found


def _use(a: Side, b: Side, both: Paired, k: int) -> dict[str, Any] | None:
    """Return the feedback utilisation of each side and the difference, from pairs in which neither episode is censored.

    The result is None if the feedback utilisation of a side is unknown, or if the maximum number of repairs of a side
    is not `k`.
    """
    if not a.observed or not b.observed or not a.repairs == b.repairs == k:
        return None
    of_a, of_b = ({one.episode.first.episode: one for one in side.observed} for side in (a, b))
    names = ((x.first.episode, y.first.episode) for x, y in finished(both, k))
    chosen = [(of_a[x], of_b[y]) for x, y in names if x in of_a and y in of_b]
    found = {name: use_of_feedback((one[side] for one in chosen), k) for side, name in enumerate("ab")}
    paired = difference_in_use(chosen, k)
    gained = {**paired.interval.to_json(), "episodes": paired.interval.n, "differing": paired.differing, "p": paired.p}
    return {**{side: {**use.to_json(), "episodes": use.n} for side, use in found.items()}, "difference": gained}


def _horizons(both: Paired, k: int) -> list[dict[str, Any]]:
    """Return the horizon of A, the horizon of B and the ratio B / A, for each family of tasks with hidden instances."""
    return [
        {
            "family": one.family,
            "sizes": one.sizes,
            "n": one.n,
            "a": one.baseline.to_json(),
            "b": one.other.to_json(),
            "ratio": one.ratio.to_json(),
        }
        for one in ratios(both, k)
    ]


def _row(both: Paired, k: int, framework: str) -> dict[str, Any]:
    chosen = both.of(lambda p: framework in (ALL, p[0].first.framework))
    part = chosen.pairs
    changed = won_lost(chosen, k)
    gained, p = difference(chosen, k), p_value(chosen, k)
    return {
        "k": k,
        "framework": framework,
        "pairs": len(part),
        "recorded": len(part) + len(chosen.unjudged),
        "problems": gained.problems,
        "a": rate([x for x, _ in part], k).to_json(),
        "b": rate([y for _, y in part], k).to_json(),
        "difference": gained.to_json(),
        "won": len(changed.won),
        "lost": len(changed.lost),
        "differing": differing(chosen, k),
        "p": p,
        "bounds": stated(difference_bound(chosen, k), gained.estimate, p),
    }


def _undecided(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    named = [
        f"FB@{row['k']} {row['framework']} ({row['bounds']['censored']:,} of {row['recorded']:,} pairs)"
        for row in rows
        if row["bounds"] is not None and row["bounds"]["decides"]
    ]
    return [f"UNDECIDED: the sign or significance depends on censored episodes in {listed(named)}."] if named else []


def _planned(a: Side, b: Side, by: str | None, both: Paired, k: int) -> dict[str, bool | int | None]:
    """Return whether a comparison of FB@k is exploratory, and the number of planned pairs of episodes."""
    if by not in ("condition", "model"):
        return _UNPLANNED
    within = "model" if by == "condition" else "condition"
    comparison, *others = {
        Comparison(by, x.first.suite, value_of(x, within), value_of(x, by), value_of(y, by), k) for x, y in both.pairs
    }
    if others:
        return _UNPLANNED
    pairs = len(finished(both, k))
    exploratory = any(side.manifest.exploratory(comparison, pairs) is not False for side in (a, b))
    return {"exploratory": exploratory, "planned_pairs": a.manifest.planned_pairs(comparison)}


def _tasks(pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    names = Counter((x.first.suite, x.first.task_id, x.first.framework) for x, _ in pairs)
    return [
        {"suite": suite, "task_id": task, "framework": framework, "episodes": n}
        for (suite, task, framework), n in sorted(names.items())
    ]


def _noise(both: Paired, k: int, certificate: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return data that show how much grader noise affects the compared episodes.

    `same_code`: the number of pairs of episodes whose first answers have identical code. `disagree`: the tasks on which
    identical first answers received different verdicts. `phantom`: see `effects.phantom_share`. `noisy_tasks`: the
    tasks whose correct answers are not always accepted.
    """
    codes = ((x.first.code_digest, y.first.code_digest) for x, y in both.pairs)
    same = [p for p, (one, two) in zip(both.pairs, codes, strict=True) if one is not None and one == two]
    disagree = [p for p in same if solved_by(p[0], 0) != solved_by(p[1], 0)]
    rules = sampled_rules([e for p in both.pairs for e in p])
    tasks = {(x.first.task_id, x.first.framework) for x, _ in both.pairs}
    suites = {x.first.suite for x, _ in both.pairs}
    known = certificate if certificate is not None and suites == {certificate["suite"]} else {"tasks": ()}
    accepted = {(t["id"], t["framework"]): t["accepted"] for t in known["tasks"]}
    noisy = sorted(t for t in tasks if (p := accepted.get(t)) is not None and p < 1)
    return {
        "sampled_rules": rules,
        "same_code": len(same),
        "disagree": _tasks(disagree),
        "phantom": phantom_share(known, k, tasks),
        "noisy_tasks": [{"task_id": task, "framework": f, "accepted": accepted[task, f]} for task, f in noisy],
    }


def _differs(a: Side, b: Side) -> list[str]:
    old, new = (side.manifest.experiment for side in (a, b))
    differences = [text for name in PINNED for text in changes(old.get(name), new.get(name), name)]
    differences += [f"{side.name} is a regraded run" for side in (a, b) if regraded(side.episodes, side.manifest)]
    return differences


def _differing(a: Side, b: Side) -> str | None:
    """Return the only field whose value is constant on each side but differs between the sides, or None."""
    fields = [by for by in FIELDS if len(values(a, by)) == len(values(b, by)) == 1 and values(a, by) != values(b, by)]
    if len(fields) > 1:
        raise UsageError(
            f"{a.name} and {b.name} differ in {listed(fields)}. Set --by to the field to compare, and use --only "
            "to select one value of every other field."
        )
    return fields[0] if fields else None


def _nothing_pairs(a: Side, b: Side, field: str | None) -> str:
    parts = [
        f"{name} {listed(values(a, name))} against {listed(values(b, name))}"
        for name in FIELDS
        if name != field and not set(values(a, name)) & set(values(b, name))
    ]
    why = "; ".join(parts) or f"no episode was graded in both {a.name} and {b.name}"
    return f"No episodes of {a.name} and {b.name} can be paired: {why}."
