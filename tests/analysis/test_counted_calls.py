"""The optimal policy under feedback that counts incorrect calls, compared with an exhaustive search over programs."""

import math
from dataclasses import replace
from functools import cache
from itertools import product

import pytest

from repair_bench.analysis.feedback_use.counted_calls import CountPlay
from repair_bench.analysis.feedback_use.ideal_observer import Partition, Play, cells_of, enumeration, members
from repair_bench.frameworks import USUAL
from repair_bench.grading.hypotheses.levels import hidden_at
from repair_bench.grading.hypotheses.observer import hidden, partition, play, reach
from repair_bench.suites.conventions.edition import every_family

SUITE = "conventions?stages=2"
REPAIRS = 3
PIPELINES = [f"{name}-4" for name, family in every_family().items() if family.stages == 2]
EDITION = [(name, framework) for framework in USUAL for name in PIPELINES]
ONE, *OTHERS = EDITION
IN_TURN = [(name, USUAL[n % len(USUAL)]) for n, name in enumerate(PIPELINES)]


def cut(task, hypotheses, calls):
    """Return a task with only the first hypotheses and calls, so that all programs can be tried."""
    level = task.level
    problem = replace(level.problem, calls=level.problem.calls[:calls])
    left = tuple(
        replace(one, circuits=one.circuits[:calls], answers=one.answers[:calls])
        for one in level.hypotheses[:hypotheses]
    )
    return hidden_at(replace(level, problem=problem, hypotheses=left, truth=0), task.framework, suite=SUITE)


def exhaustive(task, wide, attempts):
    """Return the maximum number of pairs (k, t) with t solved within k, over all programs and all policies.

    A program answers each call like a hypothesis of `task`, or like one that only `wide` has, so that no hypothesis
    accepts it. The feedback is that of the policy.
    """
    n = len(task.tasks)
    rows = {task.texts("count", wide.outcome(mix), "") for mix in product(range(n + 1), repeat=task.calls)}
    tables = [cells_of(row) for row in rows]

    @cache
    def best(posterior, left):
        if not posterior or not left:
            return 0
        return max(sum(value(text, posterior & cell, left) for text, cell in cells.items()) for cells in tables)

    def value(text, part, left):
        return left * part.bit_count() if text is None else best(part, left - 1)

    return best(task.everything, attempts)


def uniform(told, posterior, left):
    """Return the expected number of pairs (k, t) with t solved within k, for uniform guesses among the possible."""
    if not posterior or not left:
        return 0
    value = 0
    for g in members(posterior):
        for text, cell in cells_of(told[g]).items():
            part = posterior & cell
            value += left * part.bit_count() if text is None else uniform(told, part, left - 1)
    return value / posterior.bit_count()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "framework", "calls"), [(*ONE, 4), *((*one, 3) for one in OTHERS[::3][:10])])
def test_best_and_consistent_play_equal_exhaustive_search(name, framework, calls):
    """The tasks are cut to five of the 16 hypotheses and to three or four of the eight calls."""
    whole = hidden(SUITE, name, framework)
    task, wide = cut(whole, 5, calls), cut(whole, 6, calls)
    told = [task.texts("count", task.outcome(task.hypothesis(g)), "") for g in range(5)]
    for attempts in (1, 2, 3, 4):
        best = play(task, "count", attempts)
        assert isinstance(best, CountPlay)
        assert sum(best.solved) == exhaustive(task, wide, attempts)
        found = 5 * math.fsum(reach(task, "count", attempts).consistent)
        assert found == pytest.approx(uniform(told, task.everything, attempts))


def test_an_edition_of_pipelines_has_at_least_17_tasks():
    assert len(EDITION) >= 17
    assert {every_family()[name.removesuffix("-4")].stages for name, _ in EDITION} == {2}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "framework"), IN_TURN)
def test_consistent_play_is_below_best_play_by_at_least_0_15(name, framework):
    task = hidden(SUITE, name, framework)
    reached = reach(task, "count", REPAIRS + 1)
    assert reached.exact
    assert reached.consistent == reached.enumeration == enumeration(16, REPAIRS + 1)
    assert reached.gain / (REPAIRS + 1) >= 0.15


@pytest.mark.slow
@pytest.mark.parametrize(("hypotheses", "calls"), [(4, 3), (5, 4), (6, 5), (7, 6)])
def test_search_over_sizes_equals_search_over_sets(hypotheses, calls):
    """The general search knows every assignment of the calls to the hypotheses."""
    rows = [tuple(calls * [g]) for g in range(hypotheses)]
    rows += sorted({tuple(sorted(mix)) for mix in product(range(hypotheses), repeat=calls)} - set(rows))
    told = Partition(tuple(tuple(calls - row.count(t) for t in range(hypotheses)) for row in rows))
    for attempts in (2, 3, 4):
        assert sum(CountPlay(hypotheses, calls, attempts).solved) == sum(Play(told, attempts).solved)


def test_assignments_lead_to_the_curve():
    best = CountPlay(16, 8, 4)
    found = [0] * 4
    for truth in range(16):
        posterior = best.everything
        for k in range(4):
            mix = best.assignment(posterior, 4 - k)
            assert len(mix) == 8
            assert best.next(posterior, 4 - k) == mix[0]
            if set(mix) == {truth}:
                found[k] += 1
                break
            posterior &= cells_of(mix.count(h) for h in range(16))[mix.count(truth)]
    assert tuple(sum(found[: k + 1]) for k in range(4)) == best.solved == (0, 1, 9, 14)


def test_the_next_hypothesis_has_the_most_calls():
    best = CountPlay(16, 8, 2)
    mix = best.assignment(best.everything, 2)
    assert len(set(mix)) > 1
    assert mix.count(best.next(best.everything, 2)) == max(map(mix.count, mix))


def test_an_empty_set_has_no_assignment():
    with pytest.raises(ValueError, match="no hypotheses or attempts"):
        CountPlay(3, 2, 2).assignment(0, 1)


@pytest.mark.slow
def test_other_policies_questions_and_families_use_the_general_search():
    task = hidden(SUITE, *ONE)
    assert isinstance(play(task, "count", 4), CountPlay)
    assert play(task, "verdict", 4).curve == enumeration(16, 4)
    assert play(task, "count", 4, 1).curve == (1, 1, 1, 1), "one question identifies the hypothesis"
    other = hidden("conventions", "readout-4", "cirq")
    assert isinstance(play(other, "count", 4), Play)
    assert len(set(partition(other, "count").texts[0])) > 2
