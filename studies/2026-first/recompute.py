"""Compute the figures of docs/results.md from the traces again, without repair-bench.

`python recompute.py` prints the figures as JSON. Only numpy and the standard library are used. `lines` returns the
lines and phrases of the page that contain figures.
"""

from __future__ import annotations

import io
import itertools
import json
import lzma
import math
import sys
import tarfile
from collections import Counter, defaultdict
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import observer

HERE = Path(__file__).parent
REPAIRS = 5
ATTEMPTS = 1 + REPAIRS
ARMS = ("default", "critic", "verdict", "shuffled", "none")
PLANNED = (("none", "default"), ("verdict", "default"), ("shuffled", "default"), ("default", "critic"))

Episodes = dict[tuple[str, str, str], list[dict[str, Any]]]
"""The attempts of each episode, in order. Key: suite (without parameters), task, condition."""


def episodes(run: str) -> Episodes:
    """Return the episodes of a run."""
    with tarfile.open(fileobj=io.BytesIO(lzma.decompress((HERE / f"{run}.tar.xz").read_bytes()))) as archive:
        member = archive.extractfile(f"{run}/attempts.jsonl")
        assert member is not None
        rows = [json.loads(line) for line in member]
    found: Episodes = defaultdict(list)
    for row in rows:
        found[row["suite"].split("?")[0], row["task_id"], row["condition"]].append(row)
    return {key: sorted(attempts, key=lambda row: row["attempt"]) for key, attempts in found.items()}


def solved_at(attempts: list[dict[str, Any]]) -> float:
    """Return the number of the first attempt that passed (0: the first answer), or infinity."""
    return min((row["attempt"] for row in attempts if row["verdict"]["kind"] == "pass"), default=math.inf)


def problem(suite: str, task: str) -> str:
    return task.rsplit("-", 1)[0] if suite == "conventions" else task


def _of(found: Episodes, suite: str, arm: str, levels: str = "024") -> dict[str, list[dict[str, Any]]]:
    wanted = suite != "conventions" or levels
    return {
        task: attempts
        for (of, task, condition), attempts in found.items()
        if (of, condition) == (suite, arm) and (wanted is True or task[-1] in levels)
    }


def paired(
    found: Episodes, suite: str, control: str, arm: str, k: int = REPAIRS, levels: str = "024"
) -> dict[str, list[float]]:
    """Return, by problem, the difference of each pair: 1 if only the arm is solved within k repairs, -1 or 0."""
    one, other = _of(found, suite, control, levels), _of(found, suite, arm, levels)
    sums: dict[str, list[float]] = defaultdict(list)
    for task, attempts in other.items():
        sums[problem(suite, task)].append(int(solved_at(attempts) <= k) - int(solved_at(one[task]) <= k))
    return sums


def effect(sums: dict[str, list[float]]) -> dict[str, Any]:
    """Return the difference in FB@5, pairs won and lost, and p of a sign-flip test."""
    moved, p = np.array([sum(values) for values in sums.values() if sum(values)]), 1.0
    if len(moved):
        flips = np.array(list(itertools.product((-1.0, 1.0), repeat=len(moved))))
        beyond = abs(flips @ moved) - abs(moved.sum())
        p = float((beyond > 1e-9).mean() + (abs(beyond) <= 1e-9).mean() / 2)  # the mid-p value
    each = [value for values in sums.values() for value in values]
    return {"difference": difference(sums), "won": each.count(1), "lost": each.count(-1), "p": p}


def difference(sums: dict[str, list[float]]) -> list[float]:
    """Return the mean of differences with its 95% t interval by problem, in percentage points."""
    mean, half = spread(sums)
    return [100 * mean, 100 * max(-1, mean - half), 100 * min(1, mean + half)]


def spread(sums: dict[str, list[float]]) -> tuple[float, float]:
    """Return the mean of values between -1 and 1, and half the width of its 95% t interval by problem."""
    total = np.array([sum(values) for values in sums.values()], float)
    count = np.array([len(values) for values in sums.values()], float)
    n, clusters = count.sum(), len(total)
    mean, t = float(total.sum() / n), student(clusters - 1)
    variance = clusters / (clusters - 1) * float(((total - mean * count) ** 2).sum() / n**2)
    return mean, t * math.sqrt(variance) if variance > 1e-18 else t**2 / (clusters + t**2)


def wilson(values: dict[str, list[bool]]) -> list[float]:
    """Return a rate in percent and its 95% Wilson interval for several episodes per problem.

    Two hypothetical problems with the weight 0.2, one always and one never solved, are added to compute the effective
    sample size.
    """
    total = np.array([sum(each) for each in values.values()], float)
    count = np.array([len(each) for each in values.values()], float)
    n, problems, size = float(count.sum()), len(total), float(count.mean())
    p, z = float(total.sum()) / n, 1.959963984540054 * student(problems - 1) / student(int(n) - 1)
    weight, total = np.array([*[1.0] * problems, 0.2, 0.2]), np.array([*total, size, 0.0])
    count = np.array([*count, size, size])
    middle = float(weight @ total / (weight @ count))
    between = float(weight @ (total - middle * count) ** 2 / weight.sum()) / size**2
    m = min(n, problems * middle * (1 - middle) / between)
    centre, half = p + z * z / (2 * m), z * math.sqrt(p * (1 - p) / m + z * z / (4 * m * m))
    low, high = max(0.0, (centre - half) / (1 + z * z / m)), min(1.0, (centre + half) / (1 + z * z / m))
    return [100 * p, 100 * low, 100 * high]


def solved(found: Episodes, suite: str, arm: str, k: int, levels: str = "024") -> list[float]:
    """Return FB@k with its interval, in percent."""
    values: dict[str, list[bool]] = defaultdict(list)
    for task, attempts in _of(found, suite, arm, levels).items():
        values[problem(suite, task)].append(solved_at(attempts) <= k)
    return wilson(values)


@cache
def student(degrees: int) -> float:
    """Return the 97.5% quantile of Student's t distribution, by Simpson's rule and bisection."""
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)

    def central(limit: float) -> float:
        x = np.linspace(0, limit, 20_001)
        y = scale * (1 + x * x / degrees) ** (-(degrees + 1) / 2)
        return 2 * (x[1] - x[0]) / 3 * float(y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum())

    low, high = 1.0, 20.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if central(middle) < 0.95 else (low, middle)
    return (low + high) / 2


def holm(values: list[float]) -> list[float]:
    """Return p-values adjusted for multiple testing (Holm, 1979)."""
    adjusted, largest = [0.0] * len(values), 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        largest = max(largest, min(1.0, (len(values) - rank) * values[index]))
        adjusted[index] = largest
    return adjusted


def adjust(effects: list[dict[str, Any]]) -> None:
    """Add Holm's p-values to a family of tests."""
    for one, p in zip(effects, holm([one["p"] for one in effects]), strict=True):
        one["p_holm"] = p


def requests(attempts: list[dict[str, Any]]) -> int:
    """Return the number of requests of an episode, including those to its critic and those that asked a question."""
    critics = sum(row["feedback"] is not None and row["feedback"]["critic"] is not None for row in attempts)
    return sum(1 + row["questions"] for row in attempts) + critics


def per_solved(those: Collection[list[dict[str, Any]]]) -> float:
    return sum(map(requests, those)) / sum(solved_at(one) <= REPAIRS for one in those)


def within(attempts: list[dict[str, Any]], budget: int) -> bool:
    """Whether an episode is solved with at most `budget` requests."""
    return solved_at(attempts) < math.inf and requests(attempts) <= budget


def at_budget(found: Episodes, suite: str, arm: str, budget: int) -> dict[str, list[float]]:
    """Return the solve rate at a budget of requests per episode, and its difference from independent answers."""
    one, other = _of(found, suite, "none"), _of(found, suite, arm)
    values: dict[str, list[bool]] = defaultdict(list)
    sums: dict[str, list[float]] = defaultdict(list)
    for task, attempts in other.items():
        values[problem(suite, task)].append(within(attempts, budget))
        sums[problem(suite, task)].append(int(within(attempts, budget)) - int(within(one[task], budget)))
    return {"rate": wilson(values), "difference": difference(sums)}


def errors(found: Episodes, suite: str, arm: str) -> dict[str, dict[str, int]]:
    """Return the verdicts of first answers and of last attempts."""
    those = _of(found, suite, arm).values()
    return {
        "before": dict(Counter(attempts[0]["verdict"]["kind"] for attempts in those)),
        "after": dict(Counter(attempts[-1]["verdict"]["kind"] for attempts in those)),
    }


def truths(found: Episodes) -> dict[str, int]:
    """Return the true hypothesis of each task: the one that passes."""
    return {
        task: observer.implemented(task, row)
        for (suite, task, _), attempts in found.items()
        for row in attempts
        if suite == "conventions" and task[-1] != "0" and row["verdict"]["kind"] == "pass"
    }


def utilisation(found: Episodes, true: dict[str, int], arm: str, levels: str) -> dict[str, Any]:
    """Return the use of feedback on tasks of `conventions`, compared with the ideal observer."""
    families: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for task, attempts in _of(found, "conventions", arm, levels).items():
        families[problem("conventions", task)].append(observer.observed(task, arm, attempts, true[task]))
    members = [one for those in families.values() for one in those]
    repairs = {name: [row for one in those for row in one["repairs"]] for name, those in families.items()}
    of = {name: rows for name, rows in repairs.items() if rows}
    made: dict[str, Any] = {
        name: [100 * float(x) for x in np.mean([one["curves"][name] for one in members], axis=0)]
        for name in ("adjusted", "best", "blind", "consistent")
    }
    for name in ("excluded", "repeated"):
        made[name] = wilson({family: [row[name] for row in rows] for family, rows in of.items()})
    for name in ("received", "used"):
        scale = max(abs(row[name]) for rows in of.values() for row in rows)
        mean, half = spread({family: [row[name] / scale for row in rows] for family, rows in of.items()})
        made[name] = [scale * mean, scale * max(-1.0, mean - half), scale * min(1.0, mean + half)]
    return {**made, **observer.use(families, student)}


def instances(found: Episodes) -> dict[str, list[int]]:
    """Return the number of hidden instances of `horizon` that each attempt solved."""
    return {
        f"{task} {arm}": [
            sum(one["hidden"] and one["problem"] is None for one in row["verdict"]["evidence"]["instances"])
            for row in attempts
        ]
        for (_, task, arm), attempts in found.items()
    }


def figures() -> dict[str, Any]:
    """Return every figure of the page, and those of the plots and of the report's tables that have the same content."""
    study, ask, horizon = episodes("study"), episodes("ask"), episodes("horizon")
    cells = list(itertools.product(sorted({suite for suite, _, _ in study}), ARMS))
    suites = list(dict.fromkeys(suite for suite, _ in cells))
    planned = [(suite, *arms) for suite in suites for arms in PLANNED]
    exploratory = [(suite, control, "critic") for suite in suites for control in ("none", "verdict", "shuffled")]
    effects = {names: effect(paired(study, *names)) for names in (*planned, *exploratory)}
    adjust([effects[names] for names in planned])
    adjust([effects[names] for names in exploratory])
    against = [(suite, control, arm) for suite in suites for control in ("default", "verdict") for arm in ARMS]
    evidence = {names: effect(paired(study, *names, levels="24")) for names in against if names[1] != names[2]}
    sets = [{*names} for names in planned]
    adjust([one for names, one in evidence.items() if {*names} in sets and names[1:] != ("default", "verdict")])
    adjust([one for names, one in evidence.items() if {*names} not in sets])
    (asking,) = {condition for _, _, condition in ask}
    ks, true = range(REPAIRS + 1), truths(study)
    return {
        "attempts": {"study": count(study), "horizon": count(horizon), "ask": count(ask)},
        "rates": {f"{suite} {arm}": [solved(study, suite, arm, k) for k in ks] for suite, arm in cells},
        "rates by level": {
            f"{arm} {levels}": [solved(study, "conventions", arm, k, levels) for k in ks]
            for levels in ("0", "2", "4", "24")
            for arm in ARMS
        },
        "effects": {" ".join(names): one for names, one in effects.items()},
        "effects by k": {
            f"{suite} {control} {arm} {k}": difference(paired(study, suite, control, arm, k))
            for suite, control, arm in effects
            for k in ks[1:]
        },
        "evidence": {" ".join(names): one for names, one in evidence.items()},
        "utilisation": {
            f"{arm} {levels}": utilisation(study, true, arm, levels) for levels in ("2", "4", "24") for arm in ARMS
        },
        "errors": {f"{suite} {arm}": errors(study, suite, arm) for suite, arm in cells},
        "requests per solved task": {
            f"{suite} {arm}": per_solved(_of(study, suite, arm).values()) for suite, arm in cells
        },
        "budgets": {
            f"{suite} {arm} {budget}": at_budget(study, suite, arm, budget)
            for suite, arm in cells
            for budget in range(1, 2 * ATTEMPTS)
        },
        "redacted": sum(bool((row["feedback"] or {}).get("redacted")) for rows in study.values() for row in rows),
        "ask": {
            **{f"level {level}": [solved(ask, "conventions", asking, k, level) for k in ks] for level in "024"},
            "questions": sum(row["questions"] for attempts in ask.values() for row in attempts),
            "requests per solved task": per_solved(ask.values()),
        },
        "horizon": instances(horizon),
    }


def count(found: Episodes) -> int:
    return sum(map(len, found.values()))


def lines(found: dict[str, Any]) -> list[str]:
    """Return the rows of the page's tables and the phrases that contain figures."""
    made, title = [], {"conventions": "conventions", "qiskit-humaneval": "Qiskit HumanEval"}
    rates, use, effects = found["rates"], found["utilisation"], found["effects"]
    for suite, name in title.items():
        for number, (control, arm) in enumerate(PLANNED):
            one, both = (
                effects[f"{suite} {control} {arm}"],
                [rates[f"{suite} {name}"][-1][0] for name in (arm, control)],
            )
            middle, low, high = one["difference"]
            made.append(
                f"| {'' if number else name + ' '}| `{arm}` - `{control}` | {both[0]:.1f}, {both[1]:.1f} | "
                f"{signed(middle)} ({low:+.1f} to {high:+.1f}) | {one['won']}, {one['lost']} | {small(one['p'])} | "
                f"{small(one['p_holm'])} |"
            )
    ((first, last),) = {tuple(found["rates by level"][f"{arm} 0"][k][0] for k in (0, REPAIRS)) for arm in ARMS}
    made.append(f"| 0 | every arm | {first:.1f} | {last:.1f} | | | |")
    for level, arm in itertools.product("24", ARMS):
        one, shown = use[f"{arm} {level}"], found["rates by level"][f"{arm} {level}"]
        utilised = "" if one["use"] is None else f"{one['use']:.2f} "
        ends = f"{one['adjusted'][-1]:.1f} | {one['best'][-1]:.1f} | {utilised}|"
        made.append(f"| {level} | `{arm}` | {shown[0][0]:.1f} | {shown[-1][0]:.1f} | {ends}")
    one, none, at_4 = use["default 24"], use["none 24"], found["rates by level"]["verdict 4"][-1][0]
    made += [
        "it uses {:.2f} of its feedback ({:.2f} to {:.2f} over both levels)".format(one["use"], *one["interval"]),
        f"tried one that the feedback had excluded in {one['excluded'][0]:.1f}% of its repairs",
        f"With `none`, {none['repeated'][0]:.1f}% of the repairs repeat a combination",
        f"That {at_4:.1f}% instead of the expected {use['verdict 4']['best'][-1]:.1f}% are",
    ]
    left = (found["errors"][f"conventions {arm}"]["after"].get("wrong_answer", 0) for arm in ARMS[1:])
    wrong = found["errors"]["conventions default"]["before"]["wrong_answer"]
    made += [
        f"none of the {wrong} wrong answers",
        "with `critic` {}, with `verdict` {}, with `shuffled` {}, and with `none` {}".format(*left),
        f"This model solved {found['errors']['qiskit-humaneval default']['before']['pass']} of 34 at its first answer",
    ]
    for suite, name in title.items():
        costs = (found["requests per solved task"][f"{suite} {arm}"] for arm in ARMS)
        made.append(f"| {name}, requests per solved task | {' | '.join(f'{cost:.2f}' for cost in costs)} |")
    asked = found["ask"]
    made += [f"| {x} | {asked[f'level {x}'][0][0]:.1f} | {asked[f'level {x}'][-1][0]:.1f} |" for x in "024"]
    made += [
        f"It asked {asked['questions']} questions in 51 episodes",
        f"With questions, a solved task costs {asked['requests per solved task']:.2f} requests",
        "Without questions, {:.1f}% and {:.1f}% of".format(*(found["rates by level"][f"none {x}"][0][0] for x in "24")),
    ]
    for task in sorted({name.split()[0] for name in found["horizon"]}):
        cells = (", ".join(map(str, found["horizon"][f"{task} {arm}"])) for arm in ("default", "verdict", "none"))
        made.append(f"| `{task}` | {' | '.join(cells)} |")
    return made


def signed(value: float) -> str:
    return f"{value:+.1f}" if abs(value) > 1e-9 else "0.0"


def small(p: float) -> str:
    return "<0.0001" if p < 1e-4 else f"{p:.2g}"


if __name__ == "__main__":
    json.dump(figures(), sys.stdout, indent=1)
    print()
