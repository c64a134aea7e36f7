"""Repair rates by kind of failure, and what a failure turns into."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up_runs import path

from repair_bench.traces.analysis.repairs import repair_rates
from repair_bench.traces.analysis.transitions import transitions
from repair_bench.traces.metrics import curve, episodes
from repair_bench.traces.taxonomy import QUANBENCH_PLUS

REPAIRS = 4
PATHS = st.lists(
    st.text("wsenl", max_size=REPAIRS).map(lambda failed: failed + "p")
    | st.text("wsenl", min_size=REPAIRS + 1, max_size=REPAIRS + 1)
    | st.text("wsenl", min_size=1, max_size=REPAIRS)
    | st.just("ef"),
    max_size=10,
)


def made(paths):
    return episodes(a for n, letters in enumerate(paths) for a in path(letters, f"e{n:02}", task_id=str(n)))


def test_repair_rates_by_hand():
    found = repair_rates(made(["ep", "eep", "eeeee", "wwwwp", "p", "ef", "e"]), REPAIRS)
    assert list(found) == ["exception", "wrong answer"]
    assert (found["exception"].failed, found["exception"].by) == (3, (0, 1, 2, 2, 2))
    assert found["exception"].rate(1) == pytest.approx(1 / 3)
    assert found["wrong answer"].by == (0, 0, 0, 0, 1)
    assert found["exception"].final.estimate == pytest.approx(2 / 3)
    assert found["exception"].final.low < 2 / 3 < found["exception"].final.high


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


def test_transitions_by_hand():
    found = transitions(made(["ewp", "eewww", "nep"]), REPAIRS)
    assert found.matrix() == {
        "exception": {"exception": 1, "pass": 1, "wrong answer": 2},
        "no code": {"exception": 1},
        "wrong answer": {"pass": 1, "wrong answer": 2},
    }
    assert found.matrix(0) == {"exception": {"exception": 1, "wrong answer": 1}, "no code": {"exception": 1}}
    assert found.probabilities()["exception"] == {"exception": 0.25, "pass": 0.25, "wrong answer": 0.5}
    assert found.names[0] == "wrong answer"


@given(PATHS)
def test_every_step_is_counted_once_and_rows_add_up_to_one(paths):
    ended = [p for p in paths if p[-1] == "p" or len(p) == REPAIRS + 1]
    found = transitions(made(paths), REPAIRS)
    assert found.steps.total() == sum(len(p) - 1 for p in ended)
    into = Counter(new for (_, _, new), n in found.steps.items() for _ in range(n))
    assert into["pass"] == sum(p[-1] == "p" and len(p) > 1 for p in ended)
    assert "pass" not in found.matrix()
    for row in found.probabilities().values():
        assert sum(row.values()) == pytest.approx(1)
    assert sum((Counter(dict(row)) for at in range(5) for row in found.matrix(at).values()), Counter()).total() == (
        found.steps.total()
    )
