from made_up_runs import attempt, path

from repair_bench.traces.analysis.bounds import bounds
from repair_bench.traces.metrics import episodes


def test_a_censored_episode_lies_between_never_and_at_once():
    attempts = [*path("ep", "a", task_id="1"), *path("e", "b", task_id="2"), *path("p", "c", task_id="3")]
    attempts.append(attempt("p", 1, "b", task_id="2", off_policy=True))
    found = bounds(episodes(attempts), 2)
    assert [round(3 * point.least.estimate) for point in found] == [1, 2, 2]
    assert [round(3 * point.most.estimate) for point in found] == [1, 3, 3]
    assert [point.censored for point in found] == [0, 1, 1]
    assert all(point.least.n == 3 for point in found)


def test_without_censoring_the_bounds_are_the_curve():
    found = bounds(episodes([*path("ep", "a", task_id="1"), *path("ee", "b", task_id="2")]), 1)
    assert [(p.least.estimate, p.most.estimate) for p in found] == [(0.0, 0.0), (0.5, 0.5)]


def test_an_episode_with_a_fault_is_in_no_bound():
    assert bounds(episodes(path("f")), 1)[0].least.n == 0
