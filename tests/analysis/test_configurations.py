from hypothesis import given
from hypothesis import strategies as st

from repair_bench.analysis.rates.metrics import episodes
from repair_bench.analysis.rates.selection import best_configurations
from repair_bench.testing.made_up_runs import attempts_of


def made(by_condition, model="sim/one"):
    return episodes(
        a
        for condition, letters in by_condition.items()
        for n, letter in enumerate(letters)
        for a in attempts_of(letter, f"{model}-{condition}-{n}", model=model, condition=condition, task_id=str(n))
    )


def test_the_best_configuration_comes_with_the_mean_of_all():
    (row,) = best_configurations(made({"default": "ppww", "few-shot": "pppw", "cot": "wwww"}))
    assert (row.conditions, row.highest, row.corrected.n) == (("few-shot",), 0.75, 4)
    assert row.mean == (0.5 + 0.75 + 0) / 3
    assert row.rates == {"cot": 0, "default": 0.5, "few-shot": 0.75}


def test_configurations_that_tie_are_all_named_and_models_ranked():
    paths = made({"a": "pw", "b": "wp"}) + made({"a": "pp"}, "sim/two")
    assert [(row.model, row.conditions) for row in best_configurations(paths)] == [
        ("sim/two", ("a",)),
        ("sim/one", ("a", "b")),
    ]
    assert best_configurations([]) == []


@given(st.dictionaries(st.sampled_from("abcd"), st.text("pwf", min_size=1, max_size=6), min_size=1))
def test_the_mean_is_never_above_the_best(by_condition):
    for row in best_configurations(made(by_condition)):
        assert row.mean <= row.highest + 1e-12
