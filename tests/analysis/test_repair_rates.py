"""Repair rates by kind of failure, and what a failure turns into."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.analysis.metrics import curve, episodes
from repair_bench.analysis.repairs import repair_rates
from repair_bench.analysis.taxonomy import QUANBENCH_PLUS
from repair_bench.testing.made_up_runs import attempts_of

REPAIRS = 4
PATHS = st.lists(
    st.text("wsenl", max_size=REPAIRS).map(lambda failed: failed + "p")
    | st.text("wsenl", min_size=REPAIRS + 1, max_size=REPAIRS + 1)
    | st.text("wsenl", min_size=1, max_size=REPAIRS)
    | st.just("ef"),
    max_size=10,
)


def made(paths):
    return episodes(a for n, letters in enumerate(paths) for a in attempts_of(letters, f"e{n:02}", task_id=str(n)))


def test_repair_rates_by_hand():
    found = repair_rates(made(["ep", "eep", "eeeee", "wwwwp", "p", "ef", "e"]), REPAIRS)
    assert list(found) == ["exception", "wrong answer"]
    assert (found["exception"].failed, found["exception"].by) == (5, (0, 1, 2, 2, 2))
    assert found["wrong answer"].by == (0, 0, 0, 0, 1)
    shares = found["exception"].shares
    assert [share.estimate for share in shares] == [pytest.approx(x) for x in (0, 1 / 3, 2 / 3, 2 / 3, 2 / 3)], (
        "three were seen to go on: a fault and an interruption cut two short"
    )
    assert shares[-1].low < 2 / 3 < shares[-1].high


def test_repair_rates_go_by_the_names_of_any_taxonomy():
    assert set(repair_rates(made(["sp", "wp", "lwwww"]), REPAIRS, QUANBENCH_PLUS.of)) == {
        "shape mismatch",
        "wrong answer",
        "limit",
    }


@given(PATHS)
def test_repaired_failures_are_what_the_curve_gains(paths):
    found, whole = repair_rates(made(paths), REPAIRS), curve(made(paths), REPAIRS)
    assert sum(one.failed for one in found.values()) == whole.n - whole.solved[0]
    for k in range(REPAIRS + 1):
        assert sum(one.by[k] for one in found.values()) == whole.solved[k] - whole.solved[0]
