import pytest
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.analysis.comparing.pairs import difference, differing, p_value, pair, won_lost
from repair_bench.analysis.rates.curves import curve_intervals, rate
from repair_bench.analysis.rates.metrics import curve, episodes
from repair_bench.testing.made_up_runs import attempts_of
from repair_bench.traces.faults import UsageError

REPAIRS = 3
LETTERS = st.text("wen", max_size=REPAIRS).map(lambda failed: failed + "p") | st.text("wen", min_size=4, max_size=4)
FRAMEWORKS = ("qiskit", "pennylane", "cirq")


def arm(name, paths, first=None, **fields):
    """Return episodes of tasks 0, 0, 0, 1, 1, 1, ... in three frameworks; attempt 0 has the same id in every arm."""
    made = []
    for n, letters in enumerate(paths):
        task = {"task_id": f"{n // 3:02}", "framework": FRAMEWORKS[n % 3], **fields}
        root, *rest = attempts_of(letters, f"{name}-{n:03}", condition=name, **task)
        made += (
            attempts_of(letters[0], f"{name}-{n:03}", condition=name, id=first or f"root-{n}", **task) if root else []
        )
        made += rest
    return episodes(made)


def test_won_and_lost_pairs_by_hand():
    paired = pair(arm("a", ["p", "wp", "wwww", "wwww"]), arm("b", ["wwww", "wp", "wwp", "wp"]))
    changed = won_lost(paired, REPAIRS)
    assert [b.first.task_id + b.first.framework for _, b in changed.won] == ["00cirq", "01qiskit"]
    assert [a.first.task_id + a.first.framework for a, _ in changed.lost] == ["00qiskit"]
    assert p_value(paired, REPAIRS) == 0.5, "problem 00: one won, one lost; problem 01: one won"
    assert differing(paired, REPAIRS) == 1
    assert difference(paired, REPAIRS).estimate == 0.5, "0 of problem 00 and 1 of problem 01"
    assert difference(paired, REPAIRS).problems == 2
    assert difference(paired, 1).estimate == pytest.approx(1 / 3), "-1 of 3 pairs and 1 of 1"


def test_only_episodes_with_graded_first_answers_are_paired():
    paired = pair(arm("a", ["p", "f", "p", "w"]), arm("b", ["p", "p", "f", "wwww"]))
    assert len(paired.pairs) == 2
    assert paired.alone == 4


def test_censored_pairs_are_neither_won_nor_lost():
    paired = pair(arm("a", ["wwww", "wwww", "wf"]), arm("b", ["wp", "wf", "wp"]))
    changed = won_lost(paired, REPAIRS)
    assert ([b.first.framework for _, b in changed.won], changed.lost) == (["qiskit"], ())
    assert difference(paired, REPAIRS).estimate == pytest.approx(1 - 0)
    assert difference(paired, REPAIRS).n == 3


def test_difference_without_observations_is_unknown():
    paired = pair(arm("a", ["wf", "p"]), arm("b", ["wp", "p"]))
    found = difference(paired, 1)
    assert (found.estimate, found.n, p_value(paired, 1)) == (None, 2, None)
    assert differing(paired, 1) == 0


def test_censoring_of_one_arm_does_not_change_pass_at_1():
    paired = pair(arm("a", ["wf", "p", "wwf", "wwww"]), arm("b", ["wp", "p", "wwww", "f"]))
    a, b = zip(*paired.pairs, strict=True)
    assert rate(a, 0) == rate(b, 0)
    whole = arm("a", ["wf", "p", "wwf", "wwww"]), arm("b", ["wp", "p", "wwww", "wf"])
    assert rate(whole[0], 0) == rate(whole[1], 0)
    assert rate(whole[0], 0).n == 4


def test_signs_are_flipped_by_problem_and_not_by_pair():
    """Two problems with three framework variants each, all won, have two signs, not six."""
    paired = pair(arm("a", ["wwww"] * 6), arm("b", ["wp"] * 6))
    assert p_value(paired, REPAIRS) == 0.25
    assert differing(paired, REPAIRS) == 2
    assert p_value(paired, 0) is None, "they share their first answers"


def test_censored_episodes_do_not_add_differing_problems():
    """With censored episodes, the pseudo-values of all problems differ, but only four problems are known to differ."""

    def compared(same):
        a, b = ([path for path in [*same, *[last] * 4] for _ in FRAMEWORKS] for last in ("wwww", "wp"))
        return pair(arm("a", a), arm("b", b))

    known = compared(["p"] * 10 + ["wp"] * 3 + ["wwww"] * 13)
    censored = compared(["p"] * 10 + ["wp"] * 3 + ["wf"] * 2 + ["wwww"] * 11)
    assert difference(censored, REPAIRS).estimate > difference(known, REPAIRS).estimate
    for paired in (known, censored):
        assert (differing(paired, REPAIRS), p_value(paired, REPAIRS)) == (4, 0.0625)


def test_two_models_are_paired_by_task():
    first, second = arm("c", ["p", "wwww"], model="one"), arm("c", ["p", "p"], "other", model="two")
    assert pair(first, second).pairs == ()
    assert difference(pair(first, second, ("suite", "task_id", "framework", "sample")), 0).estimate == 0.5


def test_duplicate_keys_are_refused():
    twice = [*arm("a", ["p"]), *arm("b", ["p"])]
    with pytest.raises(UsageError, match="two episodes have the same"):
        pair(twice, twice)


def test_arms_with_shared_first_answers_do_not_differ_at_k_0():
    shared = pair(arm("a", ["wwww", "p"]), arm("b", ["wp", "p"]))
    assert shared.shared
    found = difference(shared, 0)
    assert (found.low, found.estimate, found.high) == (0, 0, 0)
    apart = pair(arm("a", ["wwww", "p"]), arm("b", ["wp", "p"], first="another"))
    assert not apart.shared
    assert difference(apart, 0).high > 0


@pytest.mark.slow
@given(st.lists(st.tuples(LETTERS, LETTERS), min_size=1, max_size=12))
def test_a_paired_difference_is_the_difference_of_the_curves(letters):
    a, b = arm("a", [x for x, _ in letters]), arm("b", [y for _, y in letters], first="another")
    paired = pair(a, b)
    assert len(paired.pairs) == len(letters)
    curves = curve(a, REPAIRS), curve(b, REPAIRS)
    rates = curve_intervals(a, REPAIRS), curve_intervals(b, REPAIRS)
    for k in range(REPAIRS + 1):
        found = difference(paired, k)
        assert found.estimate == pytest.approx(rates[1][k].estimate - rates[0][k].estimate)
        changed = won_lost(paired, k)
        assert len(changed.won) - len(changed.lost) == curves[1].solved[k] - curves[0].solved[k]
        if len(letters) % 3 == 0:  # all tasks have as many pairs
            assert rates[1][k].estimate == pytest.approx(curves[1].solved[k] / len(letters))


def test_a_curve_without_episodes_has_empty_intervals():
    found = curve_intervals(arm("a", ["f"]), REPAIRS)
    assert [(point.estimate, point.n) for point in found] == [(None, 0)] * (REPAIRS + 1)
