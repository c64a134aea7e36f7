from repair_bench.analysis.comparing.bounds import bounds
from repair_bench.analysis.rates.metrics import episodes
from repair_bench.testing.made_up_runs import attempt, attempts_of


def test_a_censored_episode_lies_between_never_and_at_once():
    attempts = [
        *attempts_of("ep", "a", task_id="1"),
        *attempts_of("e", "b", task_id="2"),
        *attempts_of("p", "c", task_id="3"),
    ]
    attempts.append(attempt("p", 1, "b", task_id="2", off_policy=True))
    found = bounds(episodes(attempts), 2)
    assert [round(3 * point.least.estimate) for point in found] == [1, 2, 2]
    assert [round(3 * point.most.estimate) for point in found] == [1, 3, 3]
    assert [point.censored for point in found] == [0, 1, 1]
    assert all(point.least.n == 3 for point in found)


def test_without_censoring_the_bounds_are_the_curve():
    found = bounds(episodes([*attempts_of("ep", "a", task_id="1"), *attempts_of("ee", "b", task_id="2")]), 1)
    assert [(p.least.estimate, p.most.estimate) for p in found] == [(0.0, 0.0), (0.5, 0.5)]


def test_an_episode_that_a_fault_struck_lies_between_never_and_at_once():
    found = bounds(episodes([*attempts_of("f", "a", task_id="1"), *attempts_of("ef", "b", task_id="2")]), 1)
    assert [(p.least.estimate, p.most.estimate, p.censored) for p in found] == [(0, 0.5, 1), (0, 1, 2)]
