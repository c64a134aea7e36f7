"""Feedback utilisation: the estimate is unbiased, and its interval covers near the maximum."""

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_observer import partitions

from repair_bench.analysis.feedback_use.ideal_observer import (
    PASS,
    Partition,
    Play,
    cells_of,
    consistent,
    enumeration,
    members,
)
from repair_bench.analysis.feedback_use.use import Observed, Reach, Seen, adjusted_curve, information, use_of_feedback
from repair_bench.analysis.feedback_use.use_intervals import difference_interval, share_interval
from repair_bench.analysis.rates.curves import solved_by
from repair_bench.analysis.rates.intervals import Clusters
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.testing.made_up_runs import attempts_of


def episode(partition, attempts, choose, truth, ask=lambda *_: None):
    """Return a player's episode and the observer's view.

    `choose`: the next attempt, from the texts so far. `ask`: the cells of the next question, or None.
    """
    kept, seen, texts = partition.everything, [], []
    while len(seen) < attempts:
        asked = []
        while (cells := ask(kept, tuple(texts), attempts - len(seen), len(asked))) is not None:
            asked.append(cells)
            kept &= next(cell for cell in cells if cell >> truth & 1)
            texts.append(f"answer {kept:x}")
        g = choose(kept, tuple(texts), attempts - len(seen))
        text = partition.texts[g][truth]
        solved, cells = partition.rows[g]
        kept &= cells_of(partition.texts[g])[text]
        view = Seen(g if solved else None, mixed=False, kept=kept, solved=solved, cells=tuple(cells.values()))
        seen.append(replace(view, asked=tuple(asked)))
        texts.append(text)
        if text == PASS:
            break
    letters = "w" * (len(seen) - 1) + ("p" if text == PASS else "w")
    return Episode(tuple(attempts_of(letters, suite="conventions", task_id="fourier-3"))), tuple(seen)


def mean(curves):
    return [math.fsum(points) / len(points) for points in zip(*curves, strict=True)]


@given(partitions(), st.integers(1, 5), st.integers(0, 2**32), st.booleans())
def test_adjusted_curve_has_the_mean_of_the_plain_curve(partition, attempts, seed, cut):
    """For any player, over all hypotheses, including episodes that the observer understands only partially."""

    def choose(_, texts, __):
        return random.Random(f"{seed} {texts}").randrange(len(partition.rows))

    play = Play(partition, attempts)
    played = [episode(partition, attempts, choose, truth) for truth in range(partition.hypotheses)]
    plain = mean([[float(solved_by(one, k)) for k in range(attempts)] for one, _ in played])
    fair = mean([adjusted_curve(play, one, seen[:1] if cut else seen) for one, seen in played])
    assert fair == pytest.approx(plain, abs=1e-9)


def questions_of(partition, rng):
    """Return two questions with up to three answers."""
    rows = [[rng.randrange(3) for _ in range(partition.hypotheses)] for _ in range(2)]
    return [tuple(cells_of(row).values()) for row in rows]


@given(partitions(), st.integers(1, 4), st.integers(0, 2**32), st.integers(0, 2))
def test_adjusted_curve_is_unbiased_with_questions(partition, attempts, seed, asks):
    """For a player with any questions, also those that are not on the observer's list."""
    rng = random.Random(seed)
    listed, asked = questions_of(partition, rng), questions_of(partition, rng)

    def choose(_, texts, __):
        return random.Random(f"{seed} {texts}").randrange(len(partition.rows))

    def ask(_, texts, __, number):
        draw = random.Random(f"{seed} {texts} question")
        return draw.choice(listed + asked) if number < asks and draw.random() < 0.7 else None

    play = Play(partition, attempts, listed, asks)
    played = [episode(partition, attempts, choose, truth, ask) for truth in range(partition.hypotheses)]
    plain = mean([[float(solved_by(one, k)) for k in range(attempts)] for one, _ in played])
    fair = mean([adjusted_curve(play, one, seen) for one, seen in played])
    assert fair == pytest.approx(plain, abs=1e-9)


@given(partitions(), st.integers(1, 4), st.integers(0, 2**32), st.integers(1, 2))
def test_asker_has_the_optimal_curve_in_every_episode(partition, attempts, seed, asks):
    questions = questions_of(partition, random.Random(seed))
    play = Play(partition, attempts, questions, asks)

    def ask(kept, _, left, number):
        found = play.ask(kept, left, asks - number)
        return None if found is None else questions[found]

    for truth in range(partition.hypotheses):
        one, seen = episode(partition, attempts, lambda kept, _, left: play.next(kept, left), truth, ask)
        assert adjusted_curve(play, one, seen) == pytest.approx(play.curve)
        assert math.fsum(play.curve) >= math.fsum(Play(partition, attempts).curve) - 1e-9


@given(partitions(), st.integers(1, 5))
def test_observer_has_the_optimal_curve_in_every_episode(partition, attempts):
    play = Play(partition, attempts)
    for truth in range(partition.hypotheses):
        one, seen = episode(partition, attempts, lambda kept, _, left: play.next(kept, left), truth)
        assert adjusted_curve(play, one, seen) == pytest.approx(play.curve)


def test_a_greedy_policy_has_its_own_curve_as_reference(monkeypatch):
    monkeypatch.setattr("repair_bench.analysis.feedback_use.ideal_observer.MAX_LOOKS", 50)
    rng = random.Random("greedy")
    texts = [[PASS if g == t else rng.randrange(1, 4) for t in range(16)] for g in range(16)]
    partition = Partition(tuple(map(tuple, texts)))
    play = Play(partition, 5)
    assert not play.exact
    for truth in range(16):
        one, seen = episode(partition, 5, lambda kept, _, left: play.next(kept, left), truth)
        assert adjusted_curve(play, one, seen) == pytest.approx(play.curve)


def brute_force(partition, posterior, left):
    """Return the expected number found by each attempt of a player that chooses among hypotheses not excluded."""
    if not left:
        return []
    found = [0.0] * left
    for g in members(posterior):
        found[0] += 1 / posterior.bit_count()
        for cell in partition.rows[g][1].values():
            if part := posterior & cell:
                for k, more in enumerate(brute_force(partition, part, left - 1), 1):
                    found[k] += more / posterior.bit_count()
    return found


@given(partitions(), st.integers(1, 4))
def test_the_consistent_player_equals_brute_force(partition, attempts):
    found = brute_force(partition, partition.everything, attempts)
    expected = [math.fsum(found[: k + 1]) / partition.hypotheses for k in range(attempts)]
    assert consistent(partition, attempts) == pytest.approx(expected)


@given(partitions(), st.integers(1, 4))
@settings(max_examples=30)
def test_reference_policies_are_ordered(partition, attempts):
    best, middle = Play(partition, attempts).curve, consistent(partition, attempts)
    assert math.fsum(enumeration(partition.hypotheses, attempts)) <= math.fsum(middle) + 1e-9
    assert math.fsum(middle) <= math.fsum(best) + 1e-9


def test_a_consistent_player_with_too_many_sets_is_unknown(monkeypatch):
    partition = Partition(tuple(tuple(PASS if g == t else 1 + (g + t) % 2 for t in range(8)) for g in range(8)))
    assert consistent(partition, 4) is not None
    monkeypatch.setattr("repair_bench.analysis.feedback_use.ideal_observer.MAX_SETS", 3)
    assert consistent(partition, 4) is None


def observed(family, curve, best=(0.25, 1.0, 1.0), letters="wp"):
    path = tuple(attempts_of(letters, f"{family} {letters}", suite="conventions", task_id=f"{family}-2"))
    reach = Reach(4, best, exact=True, consistent=(0.25, 0.75, 1.0))
    return Observed(Episode(path), family, 2, reach, (), curve)


def test_utilisation_is_0_for_blind_and_1_for_optimal_policy():
    players = {1.0: (0.25, 1.0, 1.0), 0.0: (0.25, 0.5, 0.75), -2.0: (0.0, 0.0, 0.0)}
    for use, curve in players.items():
        members_ = [observed(family, curve) for family in ("adder", "fourier", "walk")]
        assert use_of_feedback(members_, 2).estimate == pytest.approx(use)
        assert information(members_, 2).consistent_use == pytest.approx(0.5 / 0.75)
        assert information(members_, 2).adjusted == pytest.approx(curve)


def test_interval_of_a_perfect_policy_is_bounded():
    found = use_of_feedback([observed(str(family), (0.25, 1.0, 1.0)) for family in range(17) for _ in range(2)], 2)
    assert (found.estimate, found.high) == (1.0, 1.0)
    assert 0.7 < found.low < 1


def test_rounding_errors_do_not_change_a_perfect_share():
    exact, off = (share_interval(Clusters([1.0 + d] * 5, [1.0] * 5), 45) for d in (0.0, 1e-12))
    assert (off.estimate, off.low, off.high) == (1.0, pytest.approx(exact.low), 1.0)
    assert exact.low < 1


@pytest.mark.parametrize("families", [1, 17])
def test_one_episode_per_problem_has_an_estimate_and_no_interval(families):
    found = use_of_feedback([observed(str(family), (0.25, 1.0, 1.0)) for family in range(families)], 2)
    assert (found.estimate, found.low, found.high) == (1.0, None, None)


def test_use_is_unknown_if_nothing_can_be_gained():
    assert use_of_feedback([observed("adder", (0.25, 0.5, 0.75), best=(0.25, 0.5, 0.75))], 2).estimate is None
    assert difference_interval(Clusters([], []), Clusters([], []), 0).estimate is None


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.5, 2.0])
def test_interval_near_1_has_nominal_coverage(rate):
    """17 problems of nine episodes; each loses 0.25 of its gain a Poisson-distributed number of times (mean `rate`)."""
    import numpy as np

    rng, studies, problems = np.random.default_rng(3), 2_000, 17
    lost = 0.25 * rng.poisson(rate, (studies, problems))
    covered = {"share": 0, "student": 0}
    for row in lost:
        found = share_interval(Clusters([1 - x for x in row], [1.0] * problems), 9 * problems)
        covered["share"] += found.low <= 1 - 0.25 * rate <= found.high
        half = 2.12 * row.std(ddof=1) / math.sqrt(problems)
        covered["student"] += abs(row.mean() - 0.25 * rate) <= half
    assert 0.93 <= covered["share"] / studies <= 0.99
    assert rate > 0.02 or covered["student"] / studies < 0.6


def test_interval_below_1_has_a_known_value():
    """Four problems of four episodes, one of which loses half of its gain; two hypothetical problems are added."""
    found = share_interval(Clusters([1.0, 1.0, 1.0, 0.5], [1.0] * 4), 16)
    every, unseen = 4 + 2 * 0.02, 2 * 4 / 16
    lost = (4 * (1 - 0.875) + 0.02 * unseen) / every
    squares = 3 * lost**2 + (0.5 - lost) ** 2 + 0.02 * ((unseen - lost) ** 2 + lost**2)
    spread = 3.18244630528371**2 * squares / 3 / every / lost
    middle, half = 0.125 + spread / 2, math.sqrt(spread * 0.125 + spread**2 / 4)
    assert found.estimate == 0.875
    assert (found.low, found.high) == pytest.approx((1 - middle - half, min(1.0, 1 - middle + half)), abs=1e-9)


def test_interval_above_1_is_students():
    found = share_interval(Clusters([1.2, 1.0, 1.4], [1.0, 1.0, 1.0]), 6)
    assert found.estimate == pytest.approx(1.2)
    assert found.low < 1.2 < found.high
