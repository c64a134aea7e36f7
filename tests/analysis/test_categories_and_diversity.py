import ast
import difflib
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repair_bench.analysis.difficulty import category_correlation, normalised_difficulty, rates
from repair_bench.analysis.diversity import diversity, family, node_types, similarity
from repair_bench.analysis.metrics import episodes
from repair_bench.testing.made_up_runs import attempt, attempts_of

TABLES = st.dictionaries(
    st.sampled_from("abc"),
    st.fixed_dictionaries({c: st.tuples(st.integers(0, 6), st.just(6)) for c in ("gates", "oracles", "measurement")}),
    min_size=1,
)


def test_rates_by_model_and_category():
    made = episodes(
        [
            *attempts_of("p", "1", category="gates", task_id="1"),
            *attempts_of("wp", "2", category="gates", task_id="2"),
            *attempts_of("ww", "3", category="oracles", task_id="3"),
            *attempts_of("f", "4", category="oracles", task_id="4"),
        ]
    )
    assert rates(made) == {"sim/one": {"gates": (1, 2), "oracles": (0, 1)}}
    assert rates(made, k=1) == {"sim/one": {"gates": (2, 2), "oracles": (0, 1)}}
    assert rates(made, field="difficulty") == {"sim/one": {"None": (1, 3)}}


def test_normalised_difficulty_by_hand():
    """Model a: 50% overall, 75% and 25%; model b: 25% overall, 50% and 0%. Both categories differ by 25 points."""
    table = {"a": {"gates": (3, 4), "oracles": (1, 4)}, "b": {"gates": (2, 4), "oracles": (0, 4)}}
    assert normalised_difficulty(table) == {"oracles": 25, "gates": -25}
    assert list(normalised_difficulty(table)) == ["oracles", "gates"]


def test_a_category_that_a_model_did_not_meet_is_averaged_over_the_others():
    table = {"a": {"gates": (4, 4), "oracles": (0, 4)}, "b": {"gates": (1, 4)}}
    assert normalised_difficulty(table) == {"oracles": 50, "gates": -25}


@settings(max_examples=50)
@given(TABLES)
def test_with_categories_of_one_size_difficulties_add_up_to_nothing(table):
    assert math.fsum(normalised_difficulty(table).values()) == pytest.approx(0, abs=1e-9)


def test_category_correlation_by_hand():
    table = {
        "a": {"x": (1, 4), "y": (1, 4), "z": (3, 4), "same": (1, 1)},
        "b": {"x": (2, 4), "y": (2, 4), "z": (2, 4), "same": (1, 1)},
        "c": {"x": (3, 4), "y": (4, 4), "z": (1, 4), "same": (1, 1)},
        "left out": {"x": (4, 4)},
    }
    found = category_correlation(table)
    assert found.models == 3
    assert found.r["x", "z"] == pytest.approx(-1)
    assert found.r["x", "y"] == pytest.approx(3 / math.sqrt(2 * 14 / 3))
    assert found.r["same", "x"] is None
    assert found.mean("same") is None
    assert found.mean("x") == pytest.approx((found.r["x", "y"] - 1) / 2)
    assert category_correlation({"a": {"x": (1, 2), "y": (1, 2)}}).mean() is None


@settings(max_examples=50)
@given(TABLES)
def test_correlations_are_in_minus_1_to_1(table):
    found = category_correlation(table)
    assert all(r is None or -1 - 1e-9 <= r <= 1 + 1e-9 for r in found.r.values())
    assert len(found.r) == 3


ONE = "def f(qc):\n    qc.h(0)\n    return qc\n"
RENAMED = "def bell(circuit):\n    circuit.x(1)  # other names, same tree\n    return circuit\n"
LONGER = "def f(qc):\n    for q in range(3):\n        qc.h(q)\n    return qc\n"


def test_similarity_is_of_the_tree_and_not_of_the_names():
    assert node_types("x = 1") == ["Module", "Assign", "Name", "Constant", "Store"]
    assert similarity(ONE, RENAMED) == 1
    a, b = ([type(n).__name__ for n in ast.walk(ast.parse(code))] for code in (ONE, LONGER))
    assert similarity(ONE, LONGER) == difflib.SequenceMatcher(None, a, b).ratio() < 1
    assert similarity(ONE, "def f(:") is None


def accepted(model, task, code, letters="p", **fields):
    last = len(letters) - 1
    return [
        attempt(letter, n, f"{model}-{task}", model=model, task_id=task, code=code if n == last else "0", **fields)
        for n, letter in enumerate(letters)
    ]


def test_diversity_is_over_tasks_that_every_model_solved():
    models = ("openai/gpt-5", "openai/gpt-4.1", "anthropic/claude-3")
    made = [a for model, code in zip(models, (ONE, RENAMED, LONGER), strict=True) for a in accepted(model, "1", code)]
    made += [
        a for model, letters in zip(models, ("p", "p", "wp"), strict=True) for a in accepted(model, "2", ONE, letters)
    ]
    found = diversity(episodes(made))
    other = similarity(LONGER, ONE)
    assert (found.tasks, found.pairs) == (1, 3)
    assert found.same_family == 1
    assert found.other_family == pytest.approx((other + similarity(LONGER, RENAMED)) / 2)
    assert found.near_identical == pytest.approx(1 / 3)
    assert found.highly_diverse == 0
    with_feedback = diversity(episodes(made), k=1)
    assert (with_feedback.tasks, with_feedback.pairs) == (2, 6)


def test_one_model_has_no_diversity():
    found = diversity(episodes(accepted("one", "1", ONE)))
    assert (found.tasks, found.pairs, found.mean, found.same_family) == (0, 0, None, None)


def test_families_are_guessed_from_names():
    names = ["openrouter/anthropic/claude-3.7-sonnet", "openai/GPT-5.1", "deepseek/deepseek-r1", "sim/journeyman"]
    assert [family(name) for name in names] == ["claude", "gpt", "deepseek", "journeyman"]
