"""Costs of attempts, and repair compared with resampling at equal budget."""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repair_bench.analysis.comparing.costs import Unit, running, spent
from repair_bench.analysis.comparing.equal_budget import at_equal_budget, budget_curve, budgets
from repair_bench.analysis.comparing.pairs import difference, pair
from repair_bench.analysis.rates.curves import rate
from repair_bench.analysis.rates.metrics import episodes
from repair_bench.testing.made_up_runs import attempt
from repair_bench.traces.record.records import Completion, Feedback, Query

REPAIRS = 3


def reply(tokens, usd=0.25):
    return Completion("x", {"prompt_tokens": 100, "completion_tokens": tokens}, usd)


def criticised(completion):
    return Feedback("critic", "it failed", critic=Query("sim/critic", [], completion))


def arm(name, paths, costs=None, usd=0.25, shared=True, critic=None):
    """Episodes of one task each. `costs[n]`: output tokens of the attempts of path n, besides 100 input tokens.

    `critic`: the critic's reply before each repair.
    """
    made = []
    for n, letters in enumerate(paths):
        for number, letter in enumerate(letters):
            tokens = costs[n][number] if costs else 10
            made.append(
                attempt(
                    letter,
                    number,
                    f"{name}-{n}",
                    id=f"root-{n}" if shared and number == 0 else f"{name}-{n}-{number}",
                    task_id=str(n),
                    completion=reply(tokens, usd),
                    feedback=criticised(critic) if critic and number else None,
                )
            )
    return episodes(made)


def test_cost_is_unknown_if_a_part_is_unknown():
    known = attempt("p")
    assert [spent(known, unit) for unit in get_args(Unit)] == [1, 110, 10, 0.25]
    silent = attempt("p", completion=Completion("x"))
    assert [spent(silent, unit) for unit in get_args(Unit)] == [1, None, None, None]
    half = attempt("p", completion=Completion("x", {"completion_tokens": 4}))
    assert [spent(half, unit) for unit in get_args(Unit)] == [1, None, 4, None]
    assert spent(attempt("n", completion=None), "calls") is None


def test_critic_counts_and_a_probe_does_not():
    probe = Query("sim/one", [], reply(1000, 5.0))
    made = attempt("p", 1, feedback=criticised(reply(40, 0.5)), probe=probe)
    assert [spent(made, unit) for unit in get_args(Unit)] == [2, 250, 50, 0.75]
    unpriced = attempt("p", 1, feedback=criticised(Completion("x")))
    assert [spent(unpriced, unit) for unit in get_args(Unit)] == [2, None, None, None]
    no_room = attempt("p", 1, feedback=criticised(None))
    assert [spent(no_room, unit) for unit in get_args(Unit)] == [1, 110, 10, 0.25]
    full = attempt("c", 1, feedback=criticised(reply(40, 0.5)))
    assert [spent(full, unit) for unit in get_args(Unit)] == [1, 140, 40, 0.5]
    assert spent(attempt("f", 1, feedback=criticised(reply(40))), "usd") is None


def test_cost_of_a_critic_reverses_the_ranking():
    """Its arm solves 4 of 4 tasks with one repair, the other 3 of 4 with two; but a critic costs 3 repairs."""
    paths = ["wwp", "wwp", "wwp", "wwww"]
    default = arm("default", paths, [[10] * len(path) for path in paths])
    for critic, expected in ((None, 0.25), (reply(300, 0.75), -0.75)):
        paired = pair(default, arm("critic", ["wp"] * 4, [[10, 10]] * 4, critic=critic))
        for unit, budget in (("tokens", 330), ("usd", 0.75)):
            (found,) = at_equal_budget(paired, unit, REPAIRS, [budget])
            assert found.difference.estimate == pytest.approx(expected), (unit, critic)
    (by_calls,) = at_equal_budget(paired, "calls", REPAIRS, [2])
    assert by_calls.difference.estimate == 0


def test_cumulative_cost_of_an_episode():
    (episode,) = arm("a", ["wwp"], [[10, 20, 30]])
    assert running(episode, "completion_tokens", REPAIRS) == [10, 30, 60]
    assert running(episode, "tokens", 1) == [110, 230]


def test_a_budget_curve_by_hand():
    """Costs in completion tokens: solved at 10, solved at 30, unsolved after 40, with budget left above 40."""
    points = budget_curve(
        arm("a", ["p", "wp", "wwww"], [[10], [10, 20], [10, 10, 10, 10]]),
        "completion_tokens",
        REPAIRS,
        [9, 10, 30, 40, 41],
    )
    assert [p.rate.estimate for p in points] == [pytest.approx(x) for x in (0, 1 / 3, 2 / 3, 2 / 3, 2 / 3)]
    assert [p.open for p in points] == [0, 0, 0, 0, 1]


def test_long_repairs_can_lose_to_cheap_samples_at_equal_budget():
    """Repair solves both tasks, at 100 tokens per repair; resampling solves one of them for 20."""
    sampling = arm("none", ["wwp", "wwww"], [[10, 5, 5], [10, 5, 5, 5]])
    repair = arm("repair", ["wp", "wp"], [[10, 100], [10, 100]])
    found = at_equal_budget(pair(sampling, repair), "completion_tokens", REPAIRS, [10, 20, 110])
    assert [e.difference.estimate for e in found] == [0, -0.5, 0.5]
    assert [(e.open_baseline, e.open_other) for e in found] == [(0, 0), (0, 0), (1, 0)]
    by_calls = at_equal_budget(pair(sampling, repair), "calls", REPAIRS, [1, 2, 3, 4])
    assert [e.difference.estimate for e in by_calls] == [0, 1, 0.5, 0.5]


def test_arms_without_shared_first_answers_are_not_compared():
    paired = pair(arm("a", ["p"]), arm("b", ["p"], shared=False))
    with pytest.raises(ValueError, match="first answers"):
        at_equal_budget(paired, "calls", REPAIRS, [1])


def test_pairs_of_unknown_cost_are_excluded_and_counted():
    paired = pair(arm("a", ["p", "wp"], usd=None), arm("b", ["p", "wp"]))
    (found,) = at_equal_budget(paired, "usd", REPAIRS, [1.0])
    assert (found.unknown, found.difference.n, found.difference.estimate) == (2, 0, None)


@pytest.mark.parametrize(("end", "bounds"), [("wwwp", (0.25, 0.5)), ("wwww", (0.25, 0.25)), ("wwf", (0.25, 0.5))])
def test_bounds_include_pairs_of_unknown_cost(end, bounds):
    """The cost is unknown in the last two pairs. Both arms share the correct first answer of the last pair."""
    none = arm("none", ["wwww", "wwww", "wwww", "p"], [[10] * 4] * 3 + [[None]])
    default = arm("default", ["wp", "wwww", end, "p"], [[10] * 4, [10] * 4, [10, None, 10, 10], [None]])
    (found,) = at_equal_budget(pair(none, default), "tokens", REPAIRS, [440])
    assert (found.unknown, found.difference.n, found.difference.estimate) == (2, 2, 0.5)
    assert (found.bound.lower.estimate, found.bound.upper.estimate) == bounds


def test_budgets_cover_the_range_of_costs():
    paired = pair(arm("a", ["p", "wp", "wwww"]), arm("b", ["p", "wwp", "wwwp"]))
    assert budgets(paired, "calls", REPAIRS) == [1, 2, 3, 4]
    assert len(budgets(paired, "calls", REPAIRS, points=3)) <= 3
    assert budgets(pair([], []), "calls", REPAIRS) == [0]


LETTERS = st.text("we", min_size=1, max_size=REPAIRS).map(lambda failed: failed + "p") | st.text(
    "we", min_size=4, max_size=4
)


@settings(max_examples=40)
@given(st.lists(st.tuples(LETTERS, LETTERS), min_size=1, max_size=8))
def test_a_budget_of_calls_is_a_number_of_attempts(letters):
    a, b = arm("a", [x for x, _ in letters]), arm("b", [y for _, y in letters])
    paired = pair(a, b)
    for found in at_equal_budget(paired, "calls", REPAIRS, [1, 2, 3, 4]):
        assert found.difference.estimate == difference(paired, int(found.budget) - 1).estimate
        assert found.open_baseline == found.open_other == 0
    for point in budget_curve(a, "calls", REPAIRS, [1, 2, 3, 4]):
        assert point.rate.estimate == pytest.approx(rate(a, int(point.budget) - 1).estimate)


@settings(max_examples=40)
@given(st.lists(LETTERS, min_size=1, max_size=8), st.lists(st.integers(1, 50), min_size=8 * 4, max_size=8 * 4))
def test_more_budget_never_solves_less(letters, tokens):
    made = arm("a", letters, [tokens[4 * n : 4 * n + 4] for n in range(len(letters))])
    points = budget_curve(made, "tokens", REPAIRS, sorted({0, 100, 200, 300, 400, 800}))
    rates = [p.rate.estimate for p in points]
    assert rates == sorted(rates)
    assert rates[-1] == pytest.approx(rate(made, REPAIRS).estimate)
    assert [p.open for p in points] == sorted(p.open for p in points)
