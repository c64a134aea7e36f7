import json
from unittest.mock import ANY

import pytest
from printing import terminal_text

from repair_bench.analysis.comparing.paired_comparison import compare, inside, of_run
from repair_bench.analysis.feedback_use.use import Observed, Reach
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.report.sections import comparison, printed
from repair_bench.testing.made_up_runs import attempt, attempts_of, run, study
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Verdict
from repair_bench.traces.run.manifest import Manifest

MANIFEST = Manifest.from_json({"experiment": {"max_attempts": 1}})


def side(name, outcomes, manifest=MANIFEST, **fields):
    """Return a side. `outcomes`: the letters of each task, in one framework."""
    attempts = [
        a for task, letters in outcomes.items() for a in attempts_of(letters, f"{name}{task}", task_id=task, **fields)
    ]
    return of_run(name, manifest, attempts)


def test_two_runs_are_paired_by_task():
    a = side("a", {"1": "ee", "2": "ee", "3": "p", "4": "ep"})
    b = side("b", {"1": "p", "2": "ep", "3": "p", "4": "ee", "5": "p"})
    found = compare(a, b)
    assert (found["pairs"], found["alone"], found["k"], found["by"]) == (4, 1, 1, None)
    first, last = found["rows"]
    assert (first["k"], first["won"], first["lost"], first["difference"]["estimate"]) == (0, 1, 0, 0.25)
    assert (last["k"], last["won"], last["lost"], last["difference"]["estimate"]) == (1, 2, 1, 0.25)
    assert last["p"] == 2 / 8 + 6 / 16, "2 of 8 sign assignments are farther from 0 than 1, 6 equally far"
    assert [task["task_id"] for task in found["won"]] == ["1", "2"]
    assert [task["task_id"] for task in found["lost"]] == ["4"]
    assert last["difference"]["low"] < 0.25 < last["difference"]["high"]


def test_models_of_two_runs_are_compared_if_each_has_one():
    a, b = side("a", {"1": "ee"}, model="x"), side("b", {"1": "p"}, model="y")
    assert compare(a, b)["by"] == "model"
    assert compare(a, b)["pairs"] == 1


def test_two_parts_of_one_run_are_compared():
    attempts, manifest = study(("x", "y"), tasks=5, repairs=2, policies=("default", "none"))
    whole = of_run("run", manifest, attempts)
    models = compare(inside(whole, "model", "x"), inside(whole, "model", "y"), by="model")
    assert models["pairs"] == 5 * 3 * 2
    assert [row["framework"] for row in models["rows"]] == ["cirq", "pennylane", "qiskit", "all"] * 2
    arms = compare(inside(whole, "condition", "none"), inside(whole, "condition", "default"), by="condition")
    assert arms["rows"][3]["difference"] == {"estimate": 0.0, "low": 0.0, "high": 0.0}, "first answers are shared"
    assert [notice for notice in models["notices"] if "POOLED" in notice] == [
        "POOLED: each row is an average over 2 conditions (default, none). Choose one with --only condition=default."
    ]
    assert [notice for notice in arms["notices"] if "POOLED" in notice] == [
        "POOLED: each row is an average over 2 models (x, y). Choose one with --only model=x."
    ]
    with pytest.raises(UsageError, match=r"has no model 'z'\. Choose from x, y"):
        inside(whole, "model", "z")
    with pytest.raises(UsageError, match="cannot be compared by 'colour'"):
        inside(whole, "colour", "z")


@pytest.mark.parametrize(("by", "a", "b", "tests"), [("model", "x", "y", 6), ("condition", "none", "default", 3)])
def test_p_is_adjusted_for_the_number_of_tests_in_the_note(by, a, b, tests):
    """Three frameworks, with two tests each if the sides do not share their first answers."""
    attempts, manifest = study(("x", "y"), tasks=30, repairs=3, policies=("default", "none"))
    whole = of_run("run", manifest, attempts)
    found = compare(inside(whole, by, a), inside(whole, by, b), by=by)
    smallest = min((row for row in found["rows"] if row["p_holm"] is not None), key=lambda row: row["p"])
    assert smallest["p_holm"] == pytest.approx(tests * smallest["p"])
    assert f"p*: adjusted for {tests} tests (Holm)." in comparison.shown(found).tables["comparison"].notes[0]


def test_the_same_code_with_another_verdict_is_grader_noise():
    def graded(name, kinds, rule):
        attempts = [
            attempt("p", 0, f"e{n}", task_id=str(n), code=f"code {n}", verdict=Verdict(kind, rule=rule))
            for n, kind in enumerate(kinds)
        ]
        return of_run(name, Manifest.from_json({"experiment": {"max_attempts": 0, "rule": rule}}), attempts)

    exact = graded("exact", ["pass", "pass", "wrong_answer"], "exact")
    noisy = graded("noisy", ["pass", "wrong_answer", "wrong_answer"], "released")
    tasks = [{"id": str(n), "framework": "qiskit", "accepted": p} for n, p in enumerate((1.0, 0.5, 1.0))]
    found = compare(exact, noisy, by="rule", certificate={"suite": "aligned", "rule": "released", "tasks": tasks})
    noise = found["noise"]
    assert (noise["same_code"], [task["task_id"] for task in noise["disagree"]]) == (3, ["1"])
    assert noise["sampled_rules"] == ["released"]
    assert noise["noisy_tasks"] == [{"task_id": "1", "framework": "qiskit", "accepted": 0.5}]
    assert found["differs"] == ['rule: "exact" -> "released"']
    assert found["rows"][0]["difference"]["estimate"] == pytest.approx(-1 / 3), "one record, two verdicts"


@pytest.mark.parametrize(
    ("a", "b", "options", "says"),
    [
        ({"1": "p"}, {"2": "p"}, {}, "No episodes of a and b can be paired: no episode was graded in both a and b"),
        ({"1": "p"}, {"1": "p"}, {"k": 2}, "Choose 0 to 1"),
        ({"1": "p"}, {"1": "p"}, {"by": "colour"}, "model, condition, suite, framework, rule, interpreter"),
    ],
)
def test_invalid_comparisons_are_usage_errors(a, b, options, says):
    with pytest.raises(UsageError, match=says):
        compare(side("a", a), side("b", b), **options)


def test_a_run_is_not_compared_with_itself():
    with pytest.raises(UsageError, match="compared with itself"):
        compare(side("a", {"1": "p"}), side("a", {"1": "p"}))


def test_runs_without_common_tasks_are_described():
    a = side("a", {"1": "p"}, framework="cirq", model="x")
    b = side("b", {"1": "p"}, framework="qiskit", model="y")
    with pytest.raises(UsageError, match="differ in model, framework"):
        compare(a, b)
    with pytest.raises(UsageError, match="framework cirq against qiskit"):
        compare(a, b, by="model")


@pytest.mark.parametrize("width", [80, 160])
def test_comparison_fits_the_terminal_and_is_json(width):
    one, manifest = run(models=("sim/x",), tasks=6)
    two, _ = run(models=("sim/x",), tasks=6, seed=1)
    found = compare(of_run("a", manifest, one), of_run("b", manifest, two))
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    text = terminal_text(printed.optional(comparison.shown(found), width), width)
    assert max(map(len, text.splitlines())) <= width
    assert "SIMULATED" in text
    assert "Only B solves" in text
    assert "exact rules" in text


REACH = Reach(4, (0.25, 1.0, 1.0), exact=True, consistent=None)


def hiding(name, letters):
    """Return a side with an episode in each family. `letters`: those of each episode."""
    observed = []
    for family, path in zip(("adder", "fourier", "walk"), letters, strict=False):
        made = attempts_of(path, f"{name} {family}", model=name, suite="conventions", task_id=f"{family}-2")
        curve = tuple(float("p" in path[: k + 1]) for k in range(3))
        observed.append(Observed(Episode(tuple(made)), family, 2, REACH, (), curve))
    manifest = Manifest.from_json({"experiment": {"max_attempts": 2}})
    return of_run(name, manifest, [a for one in observed for a in one.episode.attempts], observed)


def test_comparison_shows_feedback_utilisation_of_both_sides():
    found = compare(hiding("one", ["wwp"] * 3), hiding("two", ["wp"] * 3), by="model")
    # solved within 0, 1, 2 repairs: 0, 0, 1 and 0, 1, 1; optimal policy 2.25, exhaustive search 1.5
    assert found["use"]["a"] == {"estimate": pytest.approx(-0.5 / 0.75), "low": ANY, "high": ANY, "episodes": 3}
    assert found["use"]["b"]["estimate"] == pytest.approx(0.5 / 0.75)
    assert found["use"]["difference"] == {
        **{bound: pytest.approx(1 / 0.75) for bound in ("estimate", "low", "high")},
        "episodes": 3,
        "differing": 3,
        "p": 0.125,
    }
    shown = comparison.shown(found).tables["comparison-use"]
    assert "In 1 row fewer than 5 problems differ, so p cannot be below 0.05." in " ".join(shown.notes)
    assert compare(hiding("one", ["wwp"] * 3), hiding("two", ["wp"] * 3), by="model", k=1)["use"] is None
    struck = compare(hiding("one", ["wwp"] * 3), hiding("two", ["wf"] * 3), by="model")
    assert "two: Feedback utilisation excludes 3 of 3 episodes (censored): 3 infrastructure error." in struck["notices"]


def test_utilisation_of_both_sides_covers_the_same_pairs():
    use = compare(hiding("one", ["wp", "wwp", "wwp"]), hiding("two", ["wwf", "wp"]), by="model")["use"]
    assert [use[name]["episodes"] for name in ("a", "b", "difference")] == [1, 1, 1]
    assert use["difference"]["estimate"] == pytest.approx(use["b"]["estimate"] - use["a"]["estimate"])
