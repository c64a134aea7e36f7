"""The horizon of recorded episodes, by the number of repairs, and the ratios of arms."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from horizon_runs import DEFAULT, HIDDEN, PLANTED, VERDICT, arm, half_censored, solving

from repair_bench.analysis.comparing.horizon_ratios import ratios, ratios_of_arms
from repair_bench.analysis.comparing.paired_comparison import Side, compare
from repair_bench.analysis.comparing.pairs import pair
from repair_bench.analysis.rates.horizon import Family, by_family, horizon_curve, horizon_of, programs
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


def families(attempts: Iterable[Recorded]) -> list[Family]:
    return [family for _, family in by_family(episodes(attempts), "suite")]


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


def test_episodes_that_ended_early_have_smaller_weights() -> None:
    attempts = [
        *solving(6, [HIDDEN]),
        *solving(8, [3, HIDDEN]),
        *solving(9, [3]),
        attempt("c", 1, "-parity-9---", suite="horizon?seed=1", task_id="parity-9"),
        *solving(10, [2, 2, 2]),
        *solving(12, [1, 1]),
        *solving(14, [0]),
    ]
    found = [[(one.size, one.weight) for one in programs(episodes(attempts), HIDDEN, k)] for k in range(3)]
    assert {weight for _, weight in found[0]} == {1}
    assert sorted(found[1]) == [(6, 0.8), (8, 1), (9, 1), (10, 1), (12, 1)]
    assert sorted(found[2]) == [(6, 0.4), (8, 0.5), (9, 0.5), (10, 1)]


def test_random_censoring_does_not_move_the_horizon() -> None:
    (family,) = families(half_censored())
    first, last = horizon_curve(family, 1)
    assert first.value is not None
    assert last.value == pytest.approx(first.value, rel=0.02)
    assert last.low is not None
    assert first.low is not None
    assert last.low < first.low


def test_horizon_is_unknown_if_no_unsolved_episode_was_observed() -> None:
    found = programs(episodes([*solving(6, [HIDDEN]), *solving(8, [4])]), HIDDEN, 1)
    assert horizon_of(found) == Estimate(None, None, None)


def test_a_smaller_slack_counts_only_cheaper_circuits() -> None:
    attempts = solving(8, [6], cost=24)
    assert [solved(attempts, 0, slack) for slack in (None, 1.0, 1.15, 1.2, 2.0)] == [[6], [0], [0], [6], [6]]
    assert PLANTED * 1.2 == 24


def test_families_are_separate_and_other_suites_have_none() -> None:
    other = solving(8, [3], task_id="tcount-8")
    found = families([*solving(8, [3]), *solving(10, [3]), *other])
    assert [(one.name, one.sizes, one.instances) for one in found] == [("parity", [8, 10], 10), ("tcount", [8], 10)]
    assert families(run(tasks=3)[0]) == []


def test_repairs_move_the_horizon() -> None:
    (family,) = families(arm("default", DEFAULT))
    first, last = horizon_curve(family, 1)
    assert first.value == pytest.approx(10.3, abs=0.3)
    assert last.value == pytest.approx(13.4, abs=0.4)


@pytest.mark.slow
def test_rows_give_the_same_horizon_as_attempts(tmp_path: Path) -> None:
    rows = load_rows(written(tmp_path / "run", BOTH, up_to(1))).rows
    curves = [[horizon_curve(one, 1) for one in families(made)] for made in (rows, BOTH)]
    assert curves[0] == curves[1]


@pytest.mark.slow
def test_ratio_of_an_arm_to_its_control() -> None:
    (found,) = ratios_of_arms(episodes(BOTH), MANIFEST, 1)
    assert (found.arm, found.control, found.found.family, found.found.n) == ("default", "verdict", "parity", 6)
    ratio = found.found.ratio
    assert ratio.value == pytest.approx(1.3, abs=0.05)
    assert ratio.low is not None
    assert ratio.low > 1


def test_arms_with_shared_first_answers_have_ratio_1() -> None:
    (found,) = ratios_of_arms(episodes(BOTH), MANIFEST, 0)
    assert found.found.ratio == Estimate(1.0, 1.0, 1.0)


def test_censoring_in_one_arm_does_not_exclude_episodes_of_the_other() -> None:
    lost = [a for a in arm("lost", {8: [6, 6], 10: [2, 2]}) if a.attempt == 0]
    (found,) = ratios(pair(episodes(lost), episodes(arm("whole", {8: [6, 6], 10: [2, 2]}))), 1)
    assert found.n == 0
    assert found.baseline == found.ratio == Estimate(None, None, None)
    assert found.other.value is not None


def test_ratio_to_a_side_without_programs_is_open() -> None:
    named = {"suite": "horizon?seed=1", "task_id": "parity-8"}
    (found,) = ratios(pair(episodes(attempts_of("n", "none", **named)), episodes(solving(8, [HIDDEN]))), 0)
    assert (found.n, found.baseline.low, found.other.high) == (1, None, None)


def test_comparison_of_suites_has_one_row_per_family() -> None:
    sides = [episodes(solving(8, [3], suite=f"horizon?seed={seed}")) for seed in (1, 2)]
    assert [one.n for one in ratios(pair(*sides, by=("task_id",)), 0)] == [1]


def test_comparison_of_arms_has_both_horizons_and_their_ratio() -> None:
    sides = [
        Side(name, [e for e in episodes(BOTH) if e.first.condition == name], MANIFEST, 1)
        for name in ("verdict", "default")
    ]
    (row,) = compare(*sides, by="condition")["horizons"]
    assert (row["family"], row["sizes"], row["n"]) == ("parity", sorted(DEFAULT), 6)
    assert row["ratio"]["estimate"] == pytest.approx(row["b"]["estimate"] / row["a"]["estimate"], abs=0.05)
    assert "Horizon after k=1 repairs" in shown(compare(*sides, by="condition")).tables["comparison-horizon"].title


def test_runs_without_hidden_instances_have_no_ratios() -> None:
    attempts = [a for name in CONDITIONS for a in attempts_of("ww", name, condition=name)]
    assert ratios_of_arms(episodes(attempts), MANIFEST, 1) == []
