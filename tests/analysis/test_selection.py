"""The rate of the best condition, corrected for selection."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.analysis.rates.curves import rate
from repair_bench.analysis.rates.intervals import Clusters
from repair_bench.analysis.rates.metrics import episodes
from repair_bench.analysis.rates.selection import (
    MIN_PROBLEMS,
    PER_CONDITION,
    best_configurations,
    best_interval,
    best_rate,
)
from repair_bench.report.sections import best as best_section
from repair_bench.report.sections.base import run_data
from repair_bench.testing.made_up_runs import attempts_of
from repair_bench.traces.run.manifest import Manifest


def attempts(letters, condition):
    return [
        one
        for task, letter in enumerate(letters)
        for one in attempts_of(letter, f"{condition} {task}", condition=condition, task_id=str(task))
    ]


def equal_conditions(n, tasks=42, seed=0):
    """Return conditions with the same true rate, 0.4."""
    draw = random.Random(seed)
    return {f"c{i}": ["p" if draw.random() < 0.4 else "w" for _ in range(tasks)] for i in range(n)}


@pytest.mark.slow
def test_best_of_equal_conditions_is_corrected_downwards():
    naive, corrected = [], []
    for seed in range(12):
        made = equal_conditions(8, seed=seed)
        (row,) = best_configurations(episodes(a for name, letters in made.items() for a in attempts(letters, name)))
        naive.append(row.highest)
        corrected.append(row.corrected.estimate)
    assert np.mean(naive) > 0.48
    assert np.mean(corrected) == pytest.approx(0.4, abs=0.02)


def test_a_condition_that_is_far_better_keeps_its_rate():
    parts = [episodes(attempts("p" * 36 + "w" * 6, "a")), episodes(attempts("p" * 6 + "w" * 36, "b"))]
    found, plain = best_rate(parts, 0), rate(parts[0], 0)
    assert found.estimate == pytest.approx(plain.estimate, abs=1e-9)
    assert found.low == pytest.approx(plain.low, abs=0.01)
    assert found.high == plain.high


def test_more_conditions_widen_the_interval_downwards():
    rng = np.random.default_rng(0)
    sums = (rng.random((24, 42)) < 0.4).astype(float)
    sums = sums[np.argsort(-sums.sum(axis=1))]
    lows = []
    for n in (2, 8, 14):
        part = sums[:n]
        rows = [(Clusters(list(row), [1] * 42), 42.0) for row in part]
        found = best_interval(part, np.ones_like(part), rows)
        lows.append(found.low)
    assert lows == sorted(lows, reverse=True)
    assert lows[0] > lows[-1]


@pytest.mark.parametrize(
    ("conditions", "least"), [(2, MIN_PROBLEMS), (3, MIN_PROBLEMS), (8, 8 * PER_CONDITION), (24, 24 * PER_CONDITION)]
)
def test_corrected_rate_is_unknown_with_few_problems(conditions, least):
    for tasks in (1, least - 1, least):
        others = [episodes(attempts("w" * tasks, str(number))) for number in range(1, conditions)]
        found = best_rate([episodes(attempts("p" * tasks, "best")), *others], 0)
        assert (found.estimate is None, found.low is None) == (tasks < least,) * 2
        assert found.problems == tasks


def test_conditions_on_different_problems_are_compared_by_their_rates():
    parts = [
        episodes(attempts(["p"] * 20, "a")),
        episodes([a for a in attempts(["w"] * 40, "b") if int(a.task_id) > 15]),
    ]
    found = best_rate(parts, 0)
    assert found.estimate == 1
    assert found.n == 20


def test_the_section_shows_the_corrected_rate():
    made = [a for name, letters in equal_conditions(8).items() for a in attempts(letters, name)]
    table = best_section.section(run_data(Manifest({"experiment": {"max_attempts": 0}}), made))
    (row,) = table.data
    assert row["best"]["rate"] < row["highest"]
    assert {"best", "uncorrected", "mean"} <= {column.name for column in table.columns}
    assert "avoid selection bias" in table.notes[0]


def made(by_condition, model="sim/one"):
    return episodes(
        a
        for condition, letters in by_condition.items()
        for n, letter in enumerate(letters)
        for a in attempts_of(letter, f"{model}-{condition}-{n}", model=model, condition=condition, task_id=str(n))
    )


def test_the_best_configuration_comes_with_the_mean_of_all():
    (row,) = best_configurations(made({"default": "ppww", "few-shot": "pppw", "cot": "wwww"}))
    assert (row.conditions, row.highest, row.corrected.n) == (["few-shot"], 0.75, 4)
    assert row.mean == (0.5 + 0.75 + 0) / 3
    assert row.rates == {"cot": 0, "default": 0.5, "few-shot": 0.75}


def test_tied_configurations_are_listed():
    paths = made({"a": "pw", "b": "wp"}) + made({"a": "pp"}, "sim/two")
    assert [(row.model, row.conditions) for row in best_configurations(paths)] == [
        ("sim/two", ["a"]),
        ("sim/one", ["a", "b"]),
    ]
    assert best_configurations([]) == []


@given(st.dictionaries(st.sampled_from("abcd"), st.text("pwf", min_size=1, max_size=6), min_size=1))
def test_the_mean_is_never_above_the_best(by_condition):
    for row in best_configurations(made(by_condition)):
        assert row.mean <= row.highest + 1e-12
