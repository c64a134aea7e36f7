import dataclasses
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repair_bench.analysis.rates.curves import curve_intervals
from repair_bench.analysis.rates.metrics import (
    completions,
    cost,
    counted,
    curve,
    episodes,
    errors,
    group,
    pass_at_k,
    tokens,
)
from repair_bench.analysis.rates.pass_at_k import pass_at_k_interval
from repair_bench.analysis.taxonomy import ERROR_CLASSES, error_class, error_type
from repair_bench.testing.made_up_runs import VERDICTS, attempt, attempts_of, run
from repair_bench.traces.record.records import Completion

REPAIRS = 5
FAILED = st.text("wsenl", max_size=REPAIRS)
SOLVED = FAILED.map(lambda failed: failed + "p")
LOST = st.text("wsenl", min_size=REPAIRS + 1, max_size=REPAIRS + 1)
CUT = st.text("wsenl", min_size=1, max_size=REPAIRS)
FAULTY = FAILED.map(lambda failed: failed + "f")
PATHS = st.lists(SOLVED | LOST | CUT | FAULTY, max_size=12)


def made(paths):
    return [a for n, letters in enumerate(paths) for a in attempts_of(letters, f"ep{n:02}")]


@pytest.mark.slow
@settings(deadline=None)
@given(PATHS)
def test_a_repair_curve_never_falls_and_begins_at_pass_at_1(paths):
    found = curve(episodes(made(paths)), REPAIRS)
    judged = [p for p in paths if p[0] != "f"]
    assert found.n == len(judged)
    assert list(found.solved) == sorted(found.solved)
    assert len(found.solved) == REPAIRS + 1
    assert found.solved[0] == sum(p == "p" for p in judged)
    assert found.solved[-1] == sum(p[-1] == "p" for p in judged)
    rates = [point.estimate for point in curve_intervals(episodes(made(paths)), REPAIRS)]
    assert rates[0] == (found.solved[0] / found.n if judged else None)
    known = [rate for rate in rates if rate is not None]
    assert known == pytest.approx(sorted(known))
    assert rates[len(known) :] == [None] * (len(rates) - len(known)), "unknown rates remain unknown"


@settings(deadline=None)
@given(PATHS)
def test_censored_episodes_are_counted_separately(paths):
    found = curve(episodes(made(paths)), REPAIRS)
    assert found.faults == sum("f" in p for p in paths)
    assert found.incomplete == sum(len(p) <= REPAIRS and p[-1] not in "pf" for p in paths)


@settings(deadline=None)
@given(PATHS, st.integers(0, REPAIRS))
def test_attempts_before_an_error_count(paths, k):
    """Infrastructure errors after attempt k do not change the figures up to k."""
    long = [p for p in paths if "p" in p[: k + 1] or len(p.rstrip("f")) > k]
    struck = [p if "p" in p[: k + 1] else p[: k + 1] + "f" for p in long]
    assert curve_intervals(episodes(made(struck)), k) == curve_intervals(episodes(made(long)), k)


def test_excluding_censored_episodes_would_bias_the_curve():
    """Only unsolved episodes have errors: of 4 failed first answers, one is censored, one repaired, two unsolved."""
    found = curve_intervals(episodes(made(["p", "wp", "wf", "www", "www"])), 2)
    assert [point.estimate for point in found] == [pytest.approx(x) for x in (0.2, 1 - 0.8 * 2 / 3, 1 - 0.8 * 2 / 3)]
    assert all(point.n == 5 for point in found)
    left_out = curve_intervals(episodes(made(["p", "wp", "www", "www"])), 2)
    assert left_out[0].estimate == 0.25


def test_a_full_context_window_ends_an_episode_unsolved():
    found = episodes(made(["p", "wc"]))
    assert [e.state(REPAIRS) for e in found] == ["counted", "counted"]
    assert [point.estimate for point in curve_intervals(found, REPAIRS)] == [0.5] * (REPAIRS + 1)
    before, after = errors(found, REPAIRS)
    assert (before["wrong answer"], after["limit"]) == (1, 1)


@settings(deadline=None)
@given(PATHS, st.randoms(use_true_random=False))
def test_figures_do_not_depend_on_the_order_of_the_file(paths, random):
    attempts = made(paths)
    shuffled = random.sample(attempts, len(attempts))
    assert episodes(shuffled) == episodes(attempts)
    assert curve(episodes(shuffled), REPAIRS) == curve(episodes(attempts), REPAIRS)


def test_an_episode_with_a_missing_attempt_is_incomplete():
    assert curve(episodes([a for a in attempts_of("eep") if a.attempt != 1]), REPAIRS).incomplete == 1


@settings(deadline=None)
@given(PATHS, st.data())
def test_off_policy_attempts_enter_no_rate(paths, data):
    """In a regraded run, later attempts follow feedback on a changed verdict."""
    cuts = [data.draw(st.integers(1, len(letters))) for letters in paths]
    marked = [
        dataclasses.replace(a, off_policy=a.attempt >= cut)
        for n, (letters, cut) in enumerate(zip(paths, cuts, strict=True))
        for a in attempts_of(letters, f"ep{n:02}")
    ]
    shortened = [letters[:cut] for letters, cut in zip(paths, cuts, strict=True)]
    found, expected = episodes(marked), episodes(made(shortened))
    assert [e.attempts for e in found] == [e.attempts for e in expected]
    assert [e.off_policy for e in found] == [len(p) - len(s) for p, s in zip(paths, shortened, strict=True)]
    assert curve(found, REPAIRS) == curve(expected, REPAIRS)
    assert errors(found, REPAIRS) == errors(expected, REPAIRS)


def test_episode_with_only_off_policy_attempts_is_excluded():
    assert episodes([attempt("p", off_policy=True)]) == []


def test_first_answer_ends_an_episode_without_repairs():
    found = curve(episodes(made(["p", "e", "f"])), 0)
    assert (found.n, found.solved, found.faults, found.incomplete) == (2, (1,), 1, 0)


@settings(deadline=None)
@given(st.integers(1, 300), st.data())
def test_pass_at_k_is_the_exact_probability(n, data):
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    exact = 1 - Fraction(math.comb(n - c, k), math.comb(n, k))
    assert pass_at_k(n, c, k) == float(exact)
    assert pass_at_k(n, c, 1) == c / n
    if c:
        assert pass_at_k(n, c, k) >= pass_at_k(n, c - 1, k)
    if k > 1:
        assert pass_at_k(n, c, k) >= pass_at_k(n, c, k - 1)


@pytest.mark.parametrize("arguments", [(5, 6, 1), (5, 1, 6), (5, 1, 0), (5, -1, 1), (0, 0, 1)])
def test_pass_at_k_refuses_invalid_arguments(arguments):
    with pytest.raises(ValueError, match="pass@"):
        pass_at_k(*arguments)


def test_pass_at_k_is_averaged_over_tasks_with_enough_counted_samples():
    attempts = [
        *(attempt("p" if n == 0 else "w", 0, f"a{n}", task_id="a", sample=n) for n in range(5)),
        *(attempt("p", 0, f"b{n}", task_id="b", sample=n) for n in range(5)),
        *(attempt("f", 0, f"c{n}", task_id="c", sample=n) for n in range(5)),
        attempt("w", 0, "d", task_id="d"),
    ]
    assert pass_at_k_interval(episodes(attempts), 5).estimate == 1.0
    assert pass_at_k_interval(episodes(attempts), 2).estimate == pytest.approx((0.4 + 1) / 2)
    assert pass_at_k_interval(episodes(attempts), 6).estimate is None


def test_episodes_are_grouped_by_any_field():
    attempts, _ = run(models=("b", "a"), tasks=3)
    groups = group(episodes(attempts), "model", "framework")
    assert list(groups) == [(m, f) for m in "ab" for f in ("cirq", "pennylane", "qiskit")]
    assert all(len(members) == 3 for members in groups.values())
    assert list(group(episodes([attempt("p", episode="x"), attempt("p", difficulty="easy")]), "difficulty")) == [
        ("easy",),
        (None,),
    ]


@settings(deadline=None)
@given(PATHS)
def test_errors_before_and_after_cover_the_same_episodes(paths):
    found = episodes(made(paths))
    before, after = errors(found, REPAIRS)
    assert before.total() == after.total() == len(counted(found, 0))
    assert set(before) | set(after) <= {"pass", *ERROR_CLASSES}
    assert before["pass"] <= after["pass"] == curve(found, REPAIRS).solved[-1]


def test_errors_are_counted_by_any_taxonomy():
    before, after = errors(episodes(attempts_of("sewwww")), REPAIRS, error_type)
    assert (dict(before), dict(after)) == ({"wrong answer: shape": 1}, {"wrong answer: value": 1})


def test_an_unknown_cost_is_never_zero():
    paid = attempt("p", episode="a")
    free = attempt("p", episode="b", completion=Completion("x", {"prompt_tokens": 5, "completion_tokens": None}, None))
    assert cost(completions([paid])).value == 0.25
    assert cost([]).value == 0
    total = cost(completions([paid, free, attempt("f", episode="c")]))
    assert (total.value, total.known, total.unknown) == (None, 0.25, 1)
    assert tokens(completions([paid, free]), "prompt_tokens").value == 105
    assert tokens(completions([paid, free]), "completion_tokens").unknown == 1
    assert tokens([Completion("x")], "prompt_tokens").value is None


def test_shared_completions_are_counted_once():
    arms = [attempt("e", episode=arm, id="root") for arm in ("a", "b")]
    assert cost(completions(arms)).value == 0.25


@pytest.mark.parametrize(
    ("letter", "coarse", "fine"),
    [
        ("p", "pass", "pass"),
        ("w", "wrong answer", "wrong answer: value"),
        ("s", "wrong answer", "wrong answer: shape"),
        ("e", "exception", "TypeError"),
        ("n", "no code", "no code: entry point"),
        ("l", "limit", "limit: cpu timeout"),
        ("c", "limit", "limit: context window"),
    ],
)
def test_every_verdict_has_an_error_class_and_an_error_type(letter, coarse, fine):
    assert error_class(VERDICTS[letter]) == coarse
    assert error_type(VERDICTS[letter]) == fine
    assert error_type(dataclasses.replace(VERDICTS[letter], evidence={})).startswith(coarse)
