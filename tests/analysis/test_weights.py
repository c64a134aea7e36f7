"""Every rate gives each task equal weight, regardless of its number of judged samples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.analysis.comparing.bounds import bounds
from repair_bench.analysis.comparing.effects import net_gain, prefill_differences
from repair_bench.analysis.comparing.equal_budget import budget_curve
from repair_bench.analysis.comparing.pairs import difference, p_value, pair
from repair_bench.analysis.feedback_use.headroom import headroom
from repair_bench.analysis.rates.curves import curve_intervals, rate, weights
from repair_bench.analysis.rates.metrics import episodes
from repair_bench.analysis.rates.pass_at_k import pass_at_k_interval
from repair_bench.analysis.rates.survival import life_table
from repair_bench.testing.made_up_runs import attempts_of, run

REPAIRS = 2
FRAMEWORKS = ("qiskit", "cirq", "pennylane")
PATHS = st.sampled_from(["p", "wp", "wwp", "www", "wwf", "wf"])
SAMPLES = st.lists(st.lists(st.lists(PATHS, max_size=3), min_size=1, max_size=3), min_size=1, max_size=4)
"""Paths by task, framework and sample."""


def made(tasks, condition="default"):
    return episodes(
        attempt
        for task, parts in enumerate(tasks)
        for framework, paths in zip(FRAMEWORKS, parts, strict=False)
        for sample, letters in enumerate(paths)
        for attempt in attempts_of(
            letters,
            f"{condition} {task} {framework} {sample}",
            condition=condition,
            task_id=str(task),
            framework=framework,
            sample=sample,
        )
    )


def repeated(tasks):
    """Return the tasks with the samples of the first task repeated three times."""
    return [[paths * 3 for paths in tasks[0]], *tasks[1:]]


def test_a_rate_is_the_mean_over_tasks_of_the_mean_over_samples():
    """One task is solved by one of four samples, the other by its only sample: the mean of 1/4 and 1, not 2 of 5."""
    members = made([[["p", "www", "www", "www"]], [["p"]]])
    assert weights(members) == [1, 1, 1, 1, 4]
    assert rate(members, 0).estimate == 5 / 8
    assert rate(members, 0).n == 5


def test_frameworks_of_a_task_have_equal_weights():
    members = made([[["p", "p", "p"], ["www"]], [["www"], ["www"]]])
    assert rate(members, 0).estimate == 1 / 4


def test_weights_are_1_for_equal_numbers_of_episodes():
    assert set(weights(made([[["p", "www"], ["p", "p"]]] * 5))) == {1}
    assert weights([]) == []


@given(SAMPLES)
def test_pass_at_1_is_the_rate_of_first_answers(tasks):
    members = made(tasks)
    found, expected = pass_at_k_interval(members, 1), rate(members, 0)
    assert (found.estimate, found.low, found.high, found.n) == pytest.approx(
        (expected.estimate, expected.low, expected.high, expected.n)
    )


@pytest.mark.slow
@given(SAMPLES)
def test_extra_samples_of_one_task_do_not_change_a_rate(tasks):
    before, after = made(tasks), made(repeated(tasks))
    _, manifest = run(tasks=1)

    def figures(members):
        yield from (point.estimate for point in curve_intervals(members, REPAIRS))
        yield from (end.estimate for point in bounds(members, REPAIRS) for end in (point.lower, point.upper))
        yield from (row.unsolved.estimate for row in life_table(members, REPAIRS))
        yield from (row.hazard.estimate for row in life_table(members, REPAIRS))
        yield from (point.rate.estimate for point in budget_curve(members, "calls", REPAIRS, (1, 2, 3)))
        yield from (one.right.estimate for one in headroom(members, manifest))
        yield net_gain(members, REPAIRS, None).gain.estimate

    assert list(figures(after)) == pytest.approx(list(figures(before)))


@pytest.mark.slow
@given(SAMPLES, SAMPLES)
def test_extra_samples_of_one_task_do_not_change_a_difference(tasks, others):
    def both(first, second):
        return made(first), made(second, "other")

    few, many = both(tasks, others), both(repeated(tasks), repeated(others))
    key = ("task_id", "framework", "sample")
    for k in range(REPAIRS + 1):
        pairs = pair(few[0], few[1], key)
        rates_of = [rate([p[side] for p in pairs.pairs], k).estimate for side in (0, 1)]
        found = difference(pairs, k).estimate
        if pairs.pairs and found is not None:
            assert found == pytest.approx(rates_of[1] - rates_of[0])
    if all(len(x) == len(y) for x, y in zip(tasks[0], others[0], strict=False)):  # the same pairs three times
        for k in range(REPAIRS + 1):
            old, new = difference(pair(few[0], few[1], key), k), difference(pair(many[0], many[1], key), k)
            assert new.estimate == pytest.approx(old.estimate)


def test_sign_flip_test_weights_tasks_equally():
    """Six tasks are won by one sample each, one is lost by six: won 6 times, lost once."""
    first = made([[["www"]]] * 6 + [[["p"] * 6]])
    second = made([[["p"]]] * 6 + [[["www"] * 6]], "other")
    found = pair(first, second, ("task_id", "framework", "sample"))
    assert difference(found, 0).estimate == pytest.approx(5 / 7)
    assert p_value(found, 0) == pytest.approx((2 * 1 + 2 * 7 / 2) / 2**7), (
        "7 of 7 equal signs are farther, 6 of 7 as far"
    )


def test_prefill_differences_weight_tasks_equally():
    (row,) = prefill_differences(made([[["w"] * 3], [["p"]]]), made([[["p"] * 3], [["p"]]], "with"))
    assert row.average.estimate == row.by_framework["qiskit"].estimate == 0.5


def test_the_test_is_exact_with_many_different_numbers_of_samples():
    """Every task is a win with the same weight: only equal signs give an absolute sum as large."""
    sizes = (1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31)
    first = made([[["www"] * n] for n in sizes])
    second = made([[["p"] * n] for n in sizes], "other")
    found = pair(first, second, ("task_id", "framework", "sample"))
    assert difference(found, 0).estimate == pytest.approx(1)
    assert p_value(found, 0) == pytest.approx(2 / 2 ** len(sizes) / 2)
