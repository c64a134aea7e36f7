"""Bounds of rates and differences with censored episodes on either side."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.analysis.comparing.bounds import bounds, difference_bound
from repair_bench.analysis.comparing.effects import effects_of_arms, prefill_differences
from repair_bench.analysis.comparing.equal_budget import compared_at
from repair_bench.analysis.comparing.paired_comparison import compare, of_run
from repair_bench.analysis.comparing.pairs import difference, p_value, pair
from repair_bench.analysis.rates.metrics import episodes
from repair_bench.analysis.summary import summary
from repair_bench.report.sections import effects as effects_section
from repair_bench.report.sections.base import run_data
from repair_bench.report.sections.comparison import shown
from repair_bench.testing.made_up_runs import attempt, attempts_of
from repair_bench.traces.run.manifest import Manifest

REPAIRS = 2
KEY = ("task_id", "framework", "sample")
PATHS = st.sampled_from(["p", "wp", "wwp", "www", "wwf", "wf", "f", "w", "ww"])
PAIRS = st.lists(st.tuples(PATHS, PATHS, st.integers(0, 2)), min_size=1, max_size=8)
ARMS = {"experiment": {"max_attempts": REPAIRS, "conditions": {"a": {"feedback": "none"}, "b": {"feedback": "full"}}}}


def attempts(condition, paths, *, shared=False, tasks=None):
    """Return the attempts of an arm, one episode per task. `shared`: attempt 0 has the same id in every arm."""
    made = []
    for n, letters in enumerate(paths):
        fields = {"condition": condition, "task_id": str(n if tasks is None else tasks[n]), "sample": n}
        root, *rest = attempts_of(letters, f"{condition} {n}", **fields)
        made += attempts_of(letters[0], f"{condition} {n}", id=f"root {n}", **fields) if shared else [root]
        made += rest
    return made


def paired(first, second, **kinds):
    return pair(episodes(attempts("a", first, **kinds)), episodes(attempts("b", second, **kinds)), KEY)


def test_bounds_by_hand():
    """Two pairs are known: 0 and +1. In one the other side is unknown (0 or +1), in one the baseline (0 or -1)."""
    found = difference_bound(paired(["p", "www", "www", "wf"], ["p", "wp", "wwf", "www"]), REPAIRS)
    assert (found.lower.estimate, found.upper.estimate, found.censored) == (0, 0.5, 2)


def test_a_first_answer_lost_to_an_error_is_bounded_too():
    both = paired(["p", "www"], ["p", "f"])
    assert difference(both, REPAIRS).n == 1
    found = difference_bound(both, REPAIRS)
    assert (found.lower.estimate, found.upper.estimate, found.upper.n) == (0, 0.5, 2)
    (at,) = compared_at(both, "calls", (REPAIRS, REPAIRS), [REPAIRS + 1])
    assert (at.bound.lower.estimate, at.bound.upper.estimate) == (0, 0.5)


def test_a_shared_first_answer_cannot_differ_even_if_it_was_lost():
    both = paired(["p", "f"], ["p", "f"], shared=True)
    assert difference_bound(both, 0) is None
    found = difference_bound(both, REPAIRS)
    assert (found.lower.estimate, found.upper.estimate) == (-0.5, 0.5)


@given(PAIRS)
def test_the_difference_lies_within_its_bounds(pairs):
    tasks = [task for *_, task in pairs]
    both = paired([a for a, *_ in pairs], [b for _, b, _ in pairs], tasks=tasks)
    for k in range(REPAIRS + 1):
        found, estimate = difference_bound(both, k), difference(both, k).estimate
        recorded = [*both.pairs, *both.unjudged]
        cut = sum(any(e.state(k) != "counted" for e in one) for one in recorded)
        assert (found is None) == (cut == 0)
        if found is not None:
            assert found.censored == cut
            sides = [bounds([one[side] for one in recorded], k)[k] for side in (0, 1)]
            assert found.lower.estimate == pytest.approx(sides[1].lower.estimate - sides[0].upper.estimate)
            assert found.upper.estimate == pytest.approx(sides[1].upper.estimate - sides[0].lower.estimate)
            if estimate is not None and both.pairs and not both.unjudged:
                assert found.lower.estimate - 1e-9 <= estimate <= found.upper.estimate + 1e-9


@pytest.mark.slow
@given(PAIRS)
def test_decided_comparisons_hold_at_both_bounds(pairs):
    both = paired([a for a, *_ in pairs], [b for _, b, _ in pairs])
    found, gained, p = difference_bound(both, REPAIRS), difference(both, REPAIRS), p_value(both, REPAIRS)
    if found is None or found.decides(gained.estimate, p) or gained.estimate is None or p is None:
        return
    ends = [(found.lower.estimate, found.p_lower), (found.upper.estimate, found.p_upper)]
    assert all((d > 0) == (gained.estimate > 0) and (q < 0.05) == (p < 0.05) for d, q in ends)


ONE_SIDED = (["www"] * 14 + ["wp"] * 6, ["wp"] * 8 + ["wf"] * 12)
"""Only the second arm has errors: in six tasks that the first arm solves, and in six that it does not."""


def test_compare_shows_bounds_and_one_notice():
    first, second = ONE_SIDED
    sides = [of_run(name, Manifest(ARMS), attempts(name, paths)) for name, paths in (("a", first), ("b", second))]
    result = compare(*sides, by="condition")
    row = result["rows"][-1]
    assert row["p"] < 0.05
    assert row["bounds"]["lower"]["estimate"] == pytest.approx(2 / 20)
    assert row["bounds"]["upper"]["estimate"] == pytest.approx(14 / 20)
    assert row["bounds"]["p_lower"] > 0.05
    assert [line for line in result["notices"] if line.startswith("UNDECIDED")] == [
        "UNDECIDED: the sign or significance depends on censored episodes in FB@2 qiskit (12 of 20 pairs)."
    ]
    table = shown(result).tables["comparison-bounds"]
    assert table.texts[-1]["bounds"].startswith("+10.0..+70.0")
    assert "sign or significance depends" in table.notes[0]


def test_report_shows_bounds_of_effects_and_one_notice():
    first, second = ONE_SIDED
    made = [*attempts("a", first, shared=True), *attempts("b", second, shared=True)]
    manifest = Manifest(ARMS)
    (found,) = effects_of_arms(episodes(made), manifest, REPAIRS)
    assert found.effect.undecided
    assert [line for line in summary(manifest, made)["notices"] if line.startswith("UNDECIDED")]
    table = effects_section.section(run_data(manifest, made))
    assert "sign or significance depends" in table.notes[0]


def test_uncensored_episodes_have_no_bounds():
    made = [*attempts("a", ["www"] * 6, shared=True), *attempts("b", ["wp"] * 6, shared=True)]
    assert not [line for line in summary(Manifest(ARMS), made)["notices"] if line.startswith("UNDECIDED")]
    table = effects_section.section(run_data(Manifest(ARMS), made))
    assert "bounds" not in table.notes[0]
    result = compare(
        *(of_run(name, Manifest(ARMS), [a for a in made if a.condition == name]) for name in "ab"), by="condition"
    )
    assert all(row["bounds"] is None for row in result["rows"])
    assert "comparison-bounds" not in shown(result).tables


def test_bounds_at_all_calls_are_those_of_the_last_rate():
    first, second = ONE_SIDED
    both = paired(first, second, shared=True)
    (at,) = compared_at(both, "calls", (REPAIRS, REPAIRS), [REPAIRS + 1])
    expected = difference_bound(both, REPAIRS)
    assert (at.bound.lower.estimate, at.bound.upper.estimate) == (expected.lower.estimate, expected.upper.estimate)
    assert at.bound.censored == expected.censored


def test_prefill_differences_have_bounds_after_lost_answers():
    plain, prefilled = (episodes(attempts("a", paths)) for paths in (["p", "www", "www"], ["p", "p", "f"]))
    (row,) = prefill_differences(plain, prefilled)
    assert row.average.estimate == pytest.approx(1 / 2)
    assert (row.bound.lower.estimate, row.bound.upper.estimate) == (pytest.approx(1 / 3), pytest.approx(2 / 3))


def test_bounds_of_a_censored_episode():
    made = [
        *attempts_of("ep", "a", task_id="1"),
        *attempts_of("e", "b", task_id="2"),
        *attempts_of("p", "c", task_id="3"),
    ]
    made.append(attempt("p", 1, "b", task_id="2", off_policy=True))
    found = bounds(episodes(made), 2)
    assert [round(3 * point.lower.estimate) for point in found] == [1, 2, 2]
    assert [round(3 * point.upper.estimate) for point in found] == [1, 3, 3]
    assert [point.censored for point in found] == [0, 1, 1]
    assert all(point.lower.n == 3 for point in found)


def test_without_censoring_the_bounds_are_the_curve():
    found = bounds(episodes([*attempts_of("ep", "a", task_id="1"), *attempts_of("ee", "b", task_id="2")]), 1)
    assert [(p.lower.estimate, p.upper.estimate) for p in found] == [(0.0, 0.0), (0.5, 0.5)]


def test_bounds_of_an_episode_with_an_infrastructure_error():
    found = bounds(episodes([*attempts_of("f", "a", task_id="1"), *attempts_of("ef", "b", task_id="2")]), 1)
    assert [(p.lower.estimate, p.upper.estimate, p.censored) for p in found] == [(0, 0.5, 1), (0, 1, 2)]
