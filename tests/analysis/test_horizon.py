"""The horizon of recorded episodes, by the number of repairs, and the ratios of arms."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from horizon_runs import DEFAULT, HIDDEN, PLANTED, VERDICT, arm, solving

from repair_bench.analysis.comparing.horizon_ratios import ratios_of_arms
from repair_bench.analysis.comparing.paired_comparison import Side, compare
from repair_bench.analysis.rates.horizon import families, horizon_curve, programs
from repair_bench.analysis.rates.horizon_fit import Estimate
from repair_bench.analysis.rates.metrics import episodes
from repair_bench.report.sections.comparison import shown
from repair_bench.testing.made_up_runs import attempt, attempts_of, run, up_to, written
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.record.records import Attempt
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import load_rows

CONDITIONS = {name: {"feedback": name} for name in ("default", "verdict")}
MANIFEST = Manifest({"experiment": {"max_attempts": 1, "conditions": CONDITIONS}})
BOTH = [*arm("default", DEFAULT), *arm("verdict", VERDICT)]


def solved(attempts: Iterable[Recorded], k: int, slack: float | None = None) -> list[int]:
    return [one.solved for one in programs(episodes(attempts), HIDDEN, k, slack=slack)]


def followed_by(letter: str) -> list[Attempt]:
    """Return an episode that solves 3 hidden instances, and then ends with the verdict for `letter`."""
    (first,) = solving(8, [3])
    return [first, attempt(letter, 1, first.episode, suite=first.suite, task_id=first.task_id, parent=first.id)]


def test_the_last_answer_within_k_repairs_counts() -> None:
    attempts = solving(8, [3, 7, 5])
    assert [solved(attempts, k) for k in range(3)] == [[3], [7], [5]]
    passed = solving(8, [3, HIDDEN])
    assert [solved(passed, k) for k in range(4)] == [[3], [HIDDEN], [HIDDEN], [HIDDEN]]


def test_answers_without_a_program_solve_nothing() -> None:
    attempts = followed_by("n")
    assert [solved(attempts, k) for k in range(2)] == [[3], [0]]


def test_full_context_keeps_the_last_answer() -> None:
    attempts = followed_by("c")
    assert [solved(attempts, k) for k in range(3)] == [[3], [3], [3]]


def test_no_answer_before_the_context_is_full_solves_nothing() -> None:
    (first,) = solving(8, [3])
    full = attempt("c", 0, first.episode, suite=first.suite, task_id=first.task_id)
    assert solved([full], 0) == [0]


def test_censored_episodes_are_excluded() -> None:
    attempts = [*solving(8, [3]), *solving(10, [2, 4])]
    assert [solved(attempts, k) for k in range(2)] == [[2, 3], [4]]


def test_a_smaller_slack_counts_only_cheaper_circuits() -> None:
    attempts = solving(8, [6], cost=24)
    assert [solved(attempts, 0, slack) for slack in (None, 1.0, 1.15, 1.2, 2.0)] == [[6], [0], [0], [6], [6]]
    assert PLANTED * 1.2 == 24


def test_families_are_separate_and_other_suites_have_none() -> None:
    other = solving(8, [3], task_id="tcount-8")
    found = families(episodes([*solving(8, [3]), *solving(10, [3]), *other]))
    assert [(one.name, one.sizes, one.instances) for one in found] == [("parity", [8, 10], 10), ("tcount", [8], 10)]
    assert families(episodes(run(tasks=3)[0])) == []


def test_repairs_move_the_horizon() -> None:
    (family,) = families(episodes(arm("default", DEFAULT)))
    first, last = horizon_curve(family, 1)
    assert first.value == pytest.approx(10.3, abs=0.3)
    assert last.value == pytest.approx(13.4, abs=0.4)


def test_rows_give_the_same_horizon_as_attempts(tmp_path: Path) -> None:
    rows = load_rows(written(tmp_path / "run", BOTH, up_to(1))).rows
    curves = [[horizon_curve(one, 1) for one in families(episodes(made))] for made in (rows, BOTH)]
    assert curves[0] == curves[1]


def test_ratio_of_an_arm_to_its_control() -> None:
    (found,) = ratios_of_arms(episodes(BOTH), MANIFEST, 1)
    assert (found.arm, found.control, found.found.family, found.found.pairs) == ("default", "verdict", "parity", 6)
    ratio = found.found.ratio
    assert ratio.value == pytest.approx(1.3, abs=0.05)
    assert ratio.low is not None
    assert ratio.low > 1


def test_arms_with_shared_first_answers_have_ratio_1() -> None:
    (found,) = ratios_of_arms(episodes(BOTH), MANIFEST, 0)
    assert found.found.ratio == Estimate(1.0, 1.0, 1.0)


def test_comparison_of_arms_has_both_horizons_and_their_ratio() -> None:
    sides = [
        Side(name, [e for e in episodes(BOTH) if e.first.condition == name], MANIFEST, 1)
        for name in ("verdict", "default")
    ]
    (row,) = compare(*sides, by="condition")["horizons"]
    assert (row["family"], row["sizes"], row["pairs"]) == ("parity", sorted(DEFAULT), 6)
    assert row["ratio"]["estimate"] == pytest.approx(row["b"]["estimate"] / row["a"]["estimate"], abs=0.05)
    assert "Horizon after k=1 repairs" in shown(compare(*sides, by="condition")).tables["comparison-horizon"].title


def test_runs_without_hidden_instances_have_no_ratios() -> None:
    attempts = [a for name in CONDITIONS for a in attempts_of("ww", name, condition=name)]
    assert ratios_of_arms(episodes(attempts), MANIFEST, 1) == []
