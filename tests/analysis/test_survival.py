import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.analysis.rates.curves import curve_intervals
from repair_bench.analysis.rates.metrics import episodes
from repair_bench.analysis.rates.survival import life_table
from repair_bench.testing.made_up_runs import attempts_of

REPAIRS = 4
ENDED = st.text("we", max_size=REPAIRS).map(lambda failed: failed + "p") | st.text("we", min_size=5, max_size=5)
CUT = st.text("we", min_size=1, max_size=REPAIRS)


def made(paths):
    return episodes(a for n, letters in enumerate(paths) for a in attempts_of(letters, f"e{n:02}"))


def test_a_life_table_by_hand():
    """Two are solved at attempt 0, one of three at attempt 1, where one is censored, and the last at attempt 3."""
    rows = life_table(made(["p", "p", "wp", "ww", "wwwp"]), REPAIRS)
    assert [(r.attempt, r.at_risk, r.solved, r.censored) for r in rows] == [
        (0, 5, 2, 0),
        (1, 3, 1, 1),
        (2, 1, 0, 0),
        (3, 1, 1, 0),
    ]
    assert [r.hazard.estimate for r in rows] == [0.4, pytest.approx(1 / 3), 0, 1]
    assert [r.unsolved.estimate for r in rows] == [pytest.approx(x) for x in (0.6, 0.4, 0.4, 0)]


@given(st.lists(ENDED, min_size=1, max_size=12))
def test_survival_without_censoring_is_1_minus_curve(paths):
    whole = curve_intervals(made(paths), REPAIRS)
    for row in life_table(made(paths), REPAIRS):
        solved, left = whole[row.attempt], row.unsolved
        assert (left.estimate, left.low, left.high) == (1 - solved.estimate, 1 - solved.high, 1 - solved.low)


@given(st.lists(ENDED | CUT, min_size=1, max_size=12))
def test_everyone_is_solved_censored_or_still_at_risk(paths):
    rows = life_table(made(paths), REPAIRS)
    assert rows[0].at_risk == len(paths)
    for row, after in itertools.pairwise(rows):
        assert row.at_risk == row.solved + row.censored + after.at_risk
        assert after.unsolved.estimate == pytest.approx(row.unsolved.estimate * (1 - after.hazard.estimate))
    assert rows[-1].at_risk == rows[-1].solved + rows[-1].censored


def test_censored_episode_counts_while_at_risk():
    assert [(r.at_risk, r.censored) for r in life_table(made(["wwf", "f"]), REPAIRS)] == [(1, 0), (1, 1)]
    assert life_table(made(["f"]), REPAIRS) == []
    assert life_table([], REPAIRS) == []
    gap = episodes(a for a in attempts_of("wwwp") if a.attempt != 2)
    assert [(r.at_risk, r.censored) for r in life_table(gap, REPAIRS)] == [(1, 0), (1, 1)]


def test_an_episode_whose_context_window_is_full_stays_unsolved():
    rows = life_table(made(["wc", "wwwwp"]), REPAIRS)
    assert [(r.at_risk, r.solved, r.censored) for r in rows] == [(2, 0, 0)] * 4 + [(2, 1, 1)]


def test_life_table_ends_at_the_requested_repairs():
    assert [r.censored for r in life_table(made(["wwwp"]), 1)] == [0, 1]
