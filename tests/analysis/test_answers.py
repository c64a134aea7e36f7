import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repair_bench.analysis.answers import edit, habits, normal_form, stage, steps
from repair_bench.analysis.metrics import episodes
from repair_bench.testing.made_up_runs import VERDICTS, attempt

A, B = "def f():\n    return 1\n", "def f():\n    x = 2\n    return x\n"
A_AGAIN = "# the same, laid out anew\ndef f(): return 1"


def walk(letters, codes, repairs=5):
    made = [attempt(letter, n, code=code) for n, (letter, code) in enumerate(zip(letters, codes, strict=True))]
    return steps(episodes(made), repairs)


def test_a_repeated_answer_is_the_one_before_whatever_its_layout():
    found = walk("wwwp", [A, A_AGAIN, B, B])
    assert [step.repeated for step in found] == [True, False, True]
    assert not any(step.returned for step in found)


def test_oscillation_is_a_return_to_an_earlier_answer():
    found = walk("wwwwwp", [A, B, A, B, B, "3"])
    assert [step.returned for step in found] == [False, True, True, False, False]
    assert [step.repeated for step in found] == [False, False, False, True, False]


def test_an_answer_without_code_repeats_nothing():
    found = walk("nnwwww", [None, None, A, None, A, B])
    assert [step.repeated for step in found] == [False] * 5
    assert [step.returned for step in found] == [False, False, False, True, False]
    assert [step.edit is None for step in found] == [True, True, True, True, False]


def test_a_regression_gets_less_far_than_the_attempt_before():
    assert [stage(VERDICTS[letter]) for letter in "cnelswp"] == [0, 0, 1, 1, 2, 3, 4]
    found = walk("nwsewp", [None, A, B, A, B, A])
    assert [step.progress for step in found] == [3, -1, -1, 2, 1]


def test_habits_are_shares_of_the_steps_over_problems():
    made = [
        *(
            attempt(letter, n, "a", code=code)
            for n, (letter, code) in enumerate(zip("weww", [A, A, B, A], strict=True))
        ),
        *(attempt(letter, n, "b", task_id="2", code=A) for n, letter in enumerate("wp")),
        attempt("p", 0, "c", task_id="3", code=A),
    ]
    found = habits(episodes(made), 3)
    assert found.steps == 4
    assert [found.repeated.estimate, found.returned.estimate] == [0.5, 0.25], "the pass repeats its code too"
    assert [found.regressed.estimate, found.progressed.estimate] == [0.25, 0.5]
    assert (found.repeated.n, found.repeated.problems) == (4, 2)
    assert found.lines == 1.5, "of 0, 3, 3 and 0 lines"
    none = habits([], 5)
    assert (none.steps, none.repeated.estimate, none.lines) == (0, None, None)


def test_the_size_of_an_edit_by_hand():
    found = edit(A, B)
    assert (found.added, found.removed, found.size) == (2, 1, 3)


def test_steps_are_between_answers_that_were_judged_however_the_episode_ends():
    assert len(walk("ww", [A, B])) == 1
    assert walk("wf", [A, None]) == []
    assert len(walk("wwf", [A, B, None])) == 1
    assert len(walk("wwwwwp", "abcdef", repairs=2)) == 2


LINES = st.lists(st.sampled_from(["a", "b", "c", "d", ""]), max_size=8).map("\n".join)


@settings(max_examples=60)
@given(LINES, LINES)
def test_edits_are_none_for_the_same_text_and_account_for_every_line(old, new):
    found = edit(old, new)
    kept = len(old.splitlines()) - found.removed
    assert kept == len(new.splitlines()) - found.added >= 0
    assert edit(old, old).size == 0


@pytest.mark.parametrize("code", ["def f(:", "\0", "(" * 2000, "  x", "x" + ".a" * 50_000])
def test_what_is_not_python_is_compared_as_text(code):
    assert normal_form(code) == code.strip()


def test_an_invalid_escape_in_a_models_code_warns_nobody():
    assert normal_form('x = "\\d"') == normal_form("x  =  '\\d'")
