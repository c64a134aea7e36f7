"""The ideal observer, compared with exhaustive search and known curves."""

import math

import pytest
from benchmark import benchmark
from hypothesis import given, settings
from hypothesis import strategies as st

from repair_bench.analysis.feedback_use import ideal_observer
from repair_bench.analysis.feedback_use.ideal_observer import (
    PASS,
    Partition,
    Play,
    bits_left,
    cells_of,
    enumeration,
    members,
)

expected_curve = benchmark("expected_curves").expected_curve


@st.composite
def partitions(draw, maximum=6):
    """Partitions of up to `maximum` hypotheses, with up to two attempts that realise none."""
    n = draw(st.integers(1, maximum))
    texts = st.integers(1, draw(st.integers(1, 4)))
    rows = [[PASS if g == t else draw(texts) for t in range(n)] for g in range(n)]
    rows += [[draw(texts) for _ in range(n)] for _ in range(draw(st.integers(0, 2)))]
    return Partition(tuple(map(tuple, rows)))


def split(posterior, row):
    """Return the hypotheses of a set by the text that each receives."""
    texts = {}
    for t in posterior:
        texts.setdefault(row[t], set()).add(t)
    return texts


def brute_force(partition, posterior, left, questions=(), asks=0, asked=0):
    """Return the maximum number of pairs (k, t) with t solved within k, by trying all policies.

    `asked`: how many of the `asks` questions before the next attempt have been asked.
    """
    if not left or not posterior:
        return 0
    values = []
    for row in partition.texts:
        texts = split(posterior, row)
        solved = len(texts.pop(PASS, ()))
        later = (brute_force(partition, cell, left - 1, questions, asks) for cell in texts.values())
        values.append(solved * left + sum(later))
    for row in questions if asked < asks else ():
        cells = split(posterior, row).values()
        values.append(sum(brute_force(partition, cell, left, questions, asks, asked + 1) for cell in cells))
    return max(values)


def follow(play, truth, questions=()):
    """Return the attempt at which a policy finds the truth, or None, and the posterior after each attempt."""
    posterior, known = play.partition.everything, []
    for k in range(play.attempts):
        asks = play.asks
        while (question := play.ask(posterior, play.attempts - k, asks)) is not None:
            posterior &= cells_of(questions[question])[questions[question][truth]]
            asks -= 1
        assert asks >= 0
        g = play.next(posterior, play.attempts - k)
        text = play.partition.texts[g][truth]
        posterior &= cells_of(play.partition.texts[g])[text]
        known.append(posterior)
        if text == PASS:
            return k, known
    return None, known


def made(n, texts):
    return Partition(tuple(tuple(PASS if g == t else texts(g, t) for t in range(n)) for g in range(n)))


def verdict(n):
    return made(n, lambda *_: 1)


@given(partitions(), st.integers(1, 4))
def test_optimal_policy_equals_brute_force(partition, attempts):
    play = Play(partition, attempts)
    assert play.exact
    assert sum(play.solved) == brute_force(partition, frozenset(range(partition.hypotheses)), attempts)


@given(partitions(4), st.integers(1, 2), st.integers(1, 2), st.data())
@settings(max_examples=60)
def test_optimal_questions_equal_brute_force(partition, attempts, asks, data):
    n, everything = partition.hypotheses, frozenset(range(partition.hypotheses))
    questions = data.draw(st.lists(st.tuples(*[st.integers(0, 2)] * n), max_size=2))
    play = Play(partition, attempts, [tuple(cells_of(row).values()) for row in questions], asks)
    best = brute_force(partition, everything, attempts, questions, asks)
    assert play.exact
    assert sum(play.solved) == best >= brute_force(partition, everything, attempts)
    found = [follow(play, truth, questions)[0] for truth in range(n)]
    assert sum(attempts - at for at in found if at is not None) == best


def test_question_is_asked_only_if_it_helps():
    halves = (0b0011, 0b1100)
    play = Play(verdict(4), 2, [(0b1111,), halves], 1)
    assert play.ask(0b1111, 2, 1) == 1, "the first question has the same answer under all hypotheses"
    assert play.ask(0b1111, 2, 0) is None
    assert play.ask(0b0011, 2, 1) is None
    assert play.curve == (0.5, 1.0)


def test_greedy_questions_divide_the_set(monkeypatch):
    monkeypatch.setattr(ideal_observer, "MAX_LOOKS", 1)
    play = Play(verdict(8), 3, [(0b1, 0b11111110), (0b1111, 0b11110000)], 1)
    assert not play.exact
    assert play.ask(play.partition.everything, 3, 1) == 1
    assert play.curve == (0.25, 0.5, 0.75)


@given(partitions(), st.integers(1, 5))
def test_curve_equals_that_of_simulated_episodes(partition, attempts):
    play = Play(partition, attempts)
    n = partition.hypotheses
    runs = [follow(play, truth) for truth in range(n)]
    for k in range(attempts):
        assert play.solved[k] == sum(at is not None and at <= k for at, _ in runs)
    assert all(all(known >> truth & 1 for known in run) for truth, (_, run) in enumerate(runs))


@pytest.mark.slow
@given(partitions(), st.integers(1, 5))
def test_curve_is_between_enumeration_and_upper_bound(partition, attempts):
    play = Play(partition, attempts)
    n = partition.hypotheses
    assert sum(play.curve) >= sum(enumeration(n, attempts)) - 1e-12
    texts = max(*(len(cells) for _, cells in partition.rows), 1)
    for k, point in enumerate(play.curve):  # attempt k follows one of texts^k conversations
        assert point <= min(n, sum(texts**j for j in range(k + 1))) / n + 1e-12


@given(partitions(), st.integers(1, 4))
def test_the_first_of_equal_attempts_is_chosen(partition, attempts):
    play = Play(partition, attempts)

    def value(g):
        cells = {}
        for t, text in enumerate(partition.texts[g]):
            cells.setdefault(text, set()).add(t)
        solved = len(cells.pop(PASS, ()))
        return solved * attempts + sum(brute_force(partition, frozenset(c), attempts - 1) for c in cells.values())

    every = [value(g) for g in range(len(partition.texts))]
    assert play.next(partition.everything, attempts) == every.index(max(every))


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 7, 24, 256])
@pytest.mark.parametrize("attempts", [1, 6, 30])
def test_optimal_policy_without_information_is_enumeration(n, attempts):
    play = Play(verdict(n), attempts)
    assert play.exact
    assert play.curve == enumeration(n, attempts)


def test_fully_informative_feedback_needs_one_repair():
    play = Play(made(24, lambda _, t: t + 1), 6)
    assert play.solved == (1, 24, 24, 24, 24, 24)


def test_partition_by_hand():
    """Attempt 3 of 4 separates 0 from {1, 2}; no other attempt is informative. Starting with 3 saves one repair."""
    partition = made(4, lambda g, t: 2 if g == 3 and t == 0 else 1)
    play = Play(partition, 4)
    assert play.next(partition.everything, 4) == 3
    assert play.solved == (1, 3, 4, 4)


def test_an_excluded_attempt_is_repeated_if_it_is_informative():
    """Attempt 0 fails first but separates the other five; their own failures provide no information."""
    partition = Partition((*made(5, lambda *_: 1).texts, (1, 2, 3, 4, 5)))
    play = Play(partition, 3)
    assert play.next(partition.everything, 3) == 5
    assert play.solved == (0, 5, 5)
    assert play.next(partition.everything, 2) == 5
    assert play.next(partition.everything, 1) == 0


def test_too_many_sets_make_the_policy_greedy(monkeypatch):
    partition = made(24, lambda g, t: 1 + ((g * 31 + t * 17) % 11 == 0))
    exact = Play(partition, 6)
    monkeypatch.setattr(ideal_observer, "MAX_LOOKS", 500)
    greedy = Play(partition, 6)
    assert exact.exact
    assert not greedy.exact
    assert sum(enumeration(24, 6)) < sum(greedy.curve) <= sum(exact.curve)
    runs = [follow(greedy, truth)[0] for truth in range(24)]
    assert greedy.solved == tuple(sum(at is not None and at <= k for at in runs) for k in range(6))


@pytest.mark.parametrize("texts", [(), ((),), ((0, 1),), ((1, 1), (1, 0)), ((0, 0), (1, 0)), ((0, 1), (1, 0), (0, 0))])
def test_an_invalid_partition_is_refused(texts):
    with pytest.raises(ValueError, match=r"partition|passes"):
        Partition(texts)


def test_an_empty_posterior_has_no_next_attempt():
    with pytest.raises(ValueError, match="no hypotheses or attempts"):
        Play(verdict(3), 2).next(0, 1)


def test_members_of_a_set():
    assert list(members(0b10110)) == [1, 2, 4]
    assert bits_left(0b10110) == math.log2(3)


@given(partitions(), st.integers(1, 4), st.floats(0, 1))
def test_ignoring_feedback_never_improves_the_curve(partition, attempts, ignore):
    play = Play(partition, attempts)
    assert expected_curve(play, 0) == pytest.approx(play.curve)
    assert sum(expected_curve(play, ignore)) <= sum(play.curve) + 1e-9


def test_the_cost_of_ignoring_feedback_by_hand():
    """Feedback reveals the truth. A player that ignores half of it finds 1 of 3, then the truth or one of two."""
    play = Play(made(3, lambda _, t: t + 1), 3)
    assert expected_curve(play, 0.5) == pytest.approx((1 / 3, (1 + 0.5 * 2 + 0.5 * 1) / 3, 1))


def test_ignoring_uninformative_feedback_is_enumeration():
    assert expected_curve(Play(verdict(5), 4), 1) == pytest.approx(enumeration(5, 4))
