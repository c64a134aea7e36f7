"""Table rows and sentences that present the audit and the calibration of a grader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from repair_bench.report.table import Difference, Number, Rate


def certificate_rows(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "accepted": None if row["accepted"] is None else _percent(row["accepted"])} for row in rows]


def certificate_sentences(certificate: Mapping[str, Any]) -> list[str]:
    figures = certificate["totals"]["all"]
    mutants, spurious, passed = figures["mutants"], figures["phantom_repair"], figures["blanks_pass"]
    baselines, adversarial = _passed(figures["passed_by"]), _passed(figures["referees"])
    first = (
        f"Incorrect trivial baselines are accepted in {len(passed['all']):,} of {figures['tasks']:,} tasks, and in "
        f"{len(passed['sound']):,} of {figures['sound']:,} sound tasks."
    )
    sentences = [first, *([f"Tasks that accept a trivial baseline, correct or not: {baselines}."] if baselines else [])]
    if figures["referees"]:
        sentences.append(
            f"Tests that reject the answer None but accept an adversarial program: {len(figures['fooled']):,}."
        )
    if adversarial:
        sentences.append(f"Number of tests that accept each adversarial program: {adversarial}.")
    if figures["score"] is not None:
        sentences.append(
            f"Mutants: {mutants['run']:,} ran, {mutants.get('equivalent', 0):,} are equivalent, "
            f"{mutants.get('right', 0):,} are acceptable, and {mutants.get('survived', 0):,} survived. Mutation score: "
            f"{_percent(figures['score'])}"
            + (f" ({_percent(figures['score_with_right'])} with acceptable mutants)." if mutants.get("right") else ".")
        )
    sentences += [
        f"Correct answers rejected ({name}): {figures[name]['rejected']:,} of {figures[name]['draws']:,}."
        for name in ("exact", "sampled")
        if figures[name]["draws"]
    ]
    if spurious["of"]:
        sentences.append(
            f"Spurious repairs: if the same correct answer to a task is submitted {spurious['attempts']} times, the "
            "grader may reject the answer first and accept it later. This is expected in "
            f"{Number(spurious['tasks'], '.2f')} of {spurious['of']} tasks "
            f"({Difference(spurious['tasks'] / spurious['of'])} percentage points)."
        )
    if figures["flips"]:
        sentences.append(f"The verdict on the unchanged reference is not stable in {len(figures['flips'])} tasks.")
    return sentences


def calibration_sentences(calibration: Mapping[str, Any]) -> str:
    tasks, quantile = calibration["tasks"], calibration["quantile"]
    left_out = f" {len(calibration['left_out'])} tasks cannot be sampled." if calibration["left_out"] else ""
    if quantile is None:
        return f"None of the tasks in {calibration['suite']} can be sampled.{left_out}"
    return (
        f"The {_percent(calibration['q'])} quantile of the null KL distances over {len(tasks)} tasks is "
        f"{Number(quantile, '.4f')}; the paper reports {calibration['published']}.{left_out}"
    )


def solver_rows(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return rows with the mean cost of each solver's circuits and, in parentheses, the share of solved instances.

    The cost is divided by the cost of the hidden circuit.
    """
    solvers = ("naive", "tool", "strong")
    return [
        {
            **{name: row[name] for name in ("family", "size", "planted", "n")},
            **{name: f"{row[name]:.2f} ({_percent(row[f'{name}_solved'])})" for name in solvers},
        }
        for row in rows
    ]


def solver_sentences(calibration: Mapping[str, Any]) -> list[str]:
    limits = f"slack {calibration['slack']:g}, {calibration['seconds']:g} normalised CPU seconds"
    explained = "Mean cost divided by the hidden circuit's cost and, in parentheses, the share of solved instances"
    sentences = [f"{explained} ({limits})."]
    for family, is_monotone in calibration["monotone"].items():
        falls = "does not rise with the size" if is_monotone else "RISES with the size"
        beaten = calibration["beaten"][family]
        sentences.append(
            f"{family}: the share of instances solved {falls}; "
            f"the circuits of the strong solver are at most {_percent(beaten)} cheaper than the hidden circuit."
        )
    return sentences


def _passed(tasks_by_program: Mapping[str, Sequence[str]]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {len(tasks)}" for name, tasks in tasks_by_program.items() if tasks)


def _percent(rate: float) -> str:
    return f"{Rate(rate)}%"
