"""The audit and the calibration of a grader as rows and sentences, from their JSON data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from repair_bench.report.table import Difference, Number, Rate


def certificate_rows(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "accepted": None if row["accepted"] is None else _percent(row["accepted"])} for row in rows]


def certificate_sentences(certificate: Mapping[str, Any]) -> list[str]:
    figures = certificate["totals"]["all"]
    mutants, phantom, passed = figures["mutants"], figures["phantom_repair"], figures["blanks_pass"]
    blanks, referees = _passed(figures["passed_by"]), _passed(figures["referees"])
    first = (
        f"Programs without an idea that are no right answer pass {len(passed['all']):,} of {figures['tasks']:,} tasks: "
        f"{len(passed['sound']):,} of the {figures['sound']:,} sound ones."
    )
    sentences = [first, *([f"Passed, right or not: {blanks}."] if blanks else [])]
    if figures["referees"]:
        sentences.append(
            f"Fake referees fool {len(figures['fooled']):,} of the tests that do not pass None"
            f"{f'; with those that do: {referees}' if referees else ''}."
        )
    if figures["score"] is not None:
        sentences.append(
            f"Mutants: {mutants['run']:,} ran, {mutants.get('equivalent', 0):,} are equivalent and "
            f"{mutants.get('right', 0):,} right; of the others {_percent(figures['score'])} are rejected and "
            f"{mutants.get('survived', 0):,} survive"
            + (f" ({_percent(figures['score_with_right'])} with the right ones)." if mutants.get("right") else ".")
        )
    sentences += [
        f"Rejected of {figures[name]['draws']:,} {name} correct answers: {figures[name]['rejected']:,}."
        for name in ("exact", "sampled")
        if figures[name]["draws"]
    ]
    if phantom["of"]:
        sentences.append(
            f"Phantom repair: {phantom['attempts']} attempts of one unchanged correct answer repair "
            f"{Number(phantom['tasks'], '.2f')} of {phantom['of']} tasks "
            f"({Difference(phantom['tasks'] / phantom['of'])} points)."
        )
    if figures["flips"]:
        sentences.append(f"The verdict on an unchanged reference flips in {len(figures['flips'])} tasks.")
    return sentences


def calibration_sentences(calibration: Mapping[str, Any]) -> str:
    tasks, quantile = calibration["tasks"], calibration["quantile"]
    left_out = f" {len(calibration['left_out'])} tasks cannot be drawn." if calibration["left_out"] else ""
    if quantile is None:
        return f"No task of {calibration['suite']} can be drawn.{left_out}"
    return (
        f"The {_percent(calibration['q'])} quantile of the null KL distances over {len(tasks)} tasks is "
        f"{Number(quantile, '.4f')}; the paper's is {calibration['published']}.{left_out}"
    )


def _passed(tasks_by_program: Mapping[str, Sequence[str]]) -> str:
    return ", ".join(f"{len(tasks)} by {name.replace('_', ' ')}" for name, tasks in tasks_by_program.items() if tasks)


def _percent(rate: float) -> str:
    return f"{Rate(rate)}%"
