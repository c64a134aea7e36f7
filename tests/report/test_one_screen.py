"""The default output of `report` and `--plan`, which fits one screen."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from printing import terminal_text, words
from typer.testing import CliRunner

from repair_bench.analysis.rates.metrics import episodes
from repair_bench.analysis.runs.notices import mixed, notices
from repair_bench.cli import app
from repair_bench.report.sections import effects as feedback
from repair_bench.report.sections import headline, printed, run_data
from repair_bench.report.sections.planned import power
from repair_bench.testing.made_up_runs import attempts_of, run, study, up_to, written
from repair_bench.traces.faults import UsageError
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.study_lock import Comparison

CONVENTIONS = "conventions?bits=0,2,3&families=fourier"
SUITES = ("aligned", "qiskit-humaneval", CONVENTIONS)


def of_suites(attempts, suites=SUITES):
    """Yield the same attempts in each suite; `conventions` has tasks at levels 0, 1, 2, ..."""
    for suite in suites:
        for one in attempts:
            ids = {name: f"{suite} {getattr(one, name)}" for name in ("id", "episode", "parent") if getattr(one, name)}
            task = f"fourier-{int(one.task_id)}" if suite == CONVENTIONS else one.task_id
            yield one.replaced(suite=suite, task_id=task, **ids)


def shown(attempts, manifest, width=80):
    return terminal_text(printed.short(run_data(manifest, attempts), width), width)


@pytest.mark.parametrize("width", [80, *(pytest.param(width, marks=pytest.mark.slow) for width in (100, 200))])
@pytest.mark.parametrize(
    ("models", "frameworks", "tasks"), [(2, 1, 6), (2, 3, 2), (1, 1, 6), pytest.param(6, 3, 2, marks=pytest.mark.slow)]
)
def test_a_report_of_three_arms_and_suites_has_at_most_40_lines(models, frameworks, tasks, width):
    names = [f"sim/gpt-oss-{size}0b-turbo-instruct-2026" for size in range(models)]
    attempts, manifest = study(
        names, ("qiskit", "cirq", "pennylane")[:frameworks], tasks, 5, ("default", "none", "verdict")
    )
    text = shown(list(of_suites(attempts)), manifest, width)
    assert text.count("\n") <= printed.SCREEN == 40
    assert max(map(len, text.splitlines())) <= width
    assert "POOLED" not in text
    assert all(f"{word} control tasks (bits=0)." in words(text) for word in ("Without", "With"))
    for word in ("SIMULATED", "Solve rate within k repairs", "Effect of feedback", "Cost: ", "--full"):
        assert word in text
    assert ("more row" in text) == (models > 1)


@pytest.mark.slow
def test_a_report_of_anything_has_at_most_40_lines():
    for attempts, manifest in (
        study([f"model-{n}" for n in range(30)], ("qiskit",), 3, 2, ("default", "none")),
        study(
            ("a", "b"), ("qiskit",), 3, 2, ("default", "function", "output", "distance", "support", "none", "verdict")
        ),
        run(models=("a", "sim/d"), tasks=6, faults=0.1, cut=0.3),
        ([], Manifest.from_json({})),
        (attempts_of("f"), Manifest.from_json({})),
        (attempts_of("p"), up_to(0)),
    ):
        text = shown(attempts, manifest)
        assert text.count("\n") <= 40
        assert "--full" in text


def test_the_headline_has_the_rates_of_the_full_report():
    attempts, manifest = study(("a", "b"), ("qiskit", "cirq"), 12, 3, ("default", "none"))
    made = run_data(manifest, attempts)
    rows, text = headline.rates(made).texts, words(terminal_text(printed.full(made, 200), 200))
    assert [(row["arm"], row["n"]) for row in rows] == [("default", "24"), ("none", "24")] * 2
    assert all(row[name] in text for row in rows for name in ("Pass@1", "FB@3"))


@pytest.mark.parametrize("policies", [("default", "none", "shuffled", "verdict"), ("default", "expected", "none")])
def test_each_arm_and_comparison_has_a_row_with_whole_numbers(policies):
    attempts, manifest = study(("a",), ("qiskit",), 30, 3, policies)
    made = run_data(manifest, list(of_suites(attempts)))
    text = words(shown(made.attempts, manifest))
    for table in (headline.rates(made), headline.effects(made)):
        for row in table.texts[:3]:
            assert all(row[name] in text for name in ("Pass@1", "FB@3", "difference") if name in row)
    assert [row["arm"] for row in headline.rates(made).texts] == [*policies] * len(SUITES)


def test_arms_of_a_fork_do_not_share_a_row_with_those_of_its_run():
    run_arm, _ = study(("a",), ("qiskit",), 12, 2, ("default",))
    failed = {one.episode for one in run_arm if one.attempt == 0 and one.verdict.kind != "pass"}
    forked = [
        one.replaced(id=f"fork {one.id}" if one.attempt else one.id, episode=f"fork {one.episode}", condition="none")
        for one in run_arm
        if one.episode in failed
    ]
    default, none = headline.rates(run_data(up_to(2), [*run_arm, *forked])).texts
    assert (default["arm"], default["n"], none["arm"], none["n"]) == ("default", "12", "none", str(len(failed)))
    assert none["Pass@1"].startswith("0.0 ")


def test_headline_excludes_tasks_of_level_0_with_a_notice():
    manifest = up_to(1)
    controls = [a for n in range(4) for a in attempts_of("p", f"c{n}", suite="conventions", task_id=f"f{n}-0")]
    others = [a for n in range(4) for a in attempts_of("ww", f"o{n}", suite="conventions", task_id=f"f{n}-3")]
    table = headline.rates(run_data(manifest, [*controls, *others]))
    (row,) = table.texts
    assert (row["suite"], row["n"], row["Pass@1"][:4]) == ("conventions, bits>0", "4", "0.0 ")
    assert any(
        "rates include the control tasks of conventions (bits=0)" in said
        for said in notices(episodes([*controls, *others]), manifest)
    )
    for part in (controls, others):
        (row,) = headline.rates(run_data(manifest, part)).texts
        assert (row["suite"], row["n"]) == ("conventions", "4")
        assert mixed(episodes(part)) == []


def test_exploratory_comparisons_are_counted_and_not_shown():
    attempts, manifest = study(("a",), ("qiskit",), 12, 2, ("default", "none", "verdict"))
    planned = Comparison("condition", "aligned", "a", "none", "default", 2)
    table = headline.effects(run_data(replace(manifest, planned={planned: 12}), attempts))
    assert [row["arms"] for row in table.texts] == ["default - none"]
    assert "1 exploratory" in table.notes[0]
    nothing = headline.effects(run_data(replace(manifest, planned={}), attempts))
    assert (nothing.title, nothing.lines) == (
        "",
        ("Effect of feedback: 2 exploratory comparisons omitted; use --full to show all comparisons.",),
    )


def test_comparisons_of_models_with_censored_episodes_have_bounds():
    paths = {"a": ["ww"] * 14 + ["wp"] * 6, "b": ["wp"] * 8 + ["wf"] * 2 + ["w"] * 10}
    made = [
        one
        for model, letters in paths.items()
        for task, path in enumerate(letters)
        for one in attempts_of(path, f"{model} {task}", model=model, task_id=str(task))
    ]
    planned = {Comparison("model", "aligned", "default", "a", "b", 1): 20}
    manifest = Manifest({"experiment": {"max_attempts": 1, "comparisons": ["stated"]}})
    table = headline.models(run_data(replace(manifest, planned=planned), made))
    assert table.texts[0]["bounds"].startswith("+10.0..+70.0")
    assert "In 1 row, the sign or significance depends on censored episodes." in table.notes[0]


def test_star_of_a_planned_comparison_ignores_exploratory_ones():
    attempts, manifest = study(("a",), ("qiskit",), 12, 2, ("default", "none", "verdict"))
    planned = {Comparison("condition", "aligned", "a", "none", "default", 2): 12}
    made = run_data(replace(manifest, planned=planned), attempts)
    rows = {row["control"]: row for row in feedback.section(made).data}
    assert all(row["p_holm"] == row["p"] for row in rows.values())
    assert "adjusted for 1 planned test and separately for 1 exploratory test (Holm)" in feedback.section(made).notes[0]
    assert "adjusted for 1 planned test (Holm)" in headline.effects(made).notes[0]
    two = {**planned, Comparison("condition", "aligned", "a", "none", "default", 1): 12}
    rows = {row["control"]: row for row in feedback.section(run_data(replace(manifest, planned=two), attempts)).data}
    assert rows["none"]["p_holm"] == pytest.approx(min(1, 2 * rows["none"]["p"]))  # as --plan counts


def test_planned_comparisons_of_models_are_shown():
    attempts, manifest = study(("a", "b"), ("qiskit",), 12, 2, ("default", "none"))
    planned = {Comparison("model", "aligned", "default", "a", "b", 2): 12}
    run_of = run_data(replace(manifest, planned=planned), attempts)
    assert headline.models(run_of).lines == ("Also planned: 1 comparison of models. Use `compare --by model`.",)
    named = manifest.replaced(experiment={**manifest.experiment, "comparisons": [{"models": ["a", "b"], "k": 2}]})
    (row,) = headline.models(run_data(replace(named, planned=planned), attempts)).texts
    assert (row["compared"], row["metric"], row["pairs"]) == ("b - a", "FB@2", "12")


def test_cost_of_each_model_is_printed_and_unknown_is_not_0():
    attempts, manifest = study(("a", "b"), ("qiskit",), 3, 1, ("default",))
    assert words(headline.cost(run_data(manifest, attempts))).startswith("Cost: 0.0")
    assert "(a 0.0" in headline.cost(run_data(manifest, attempts))
    free = [a.replaced(completion=replace(a.completion, cost_usd=None)) for a in attempts]
    assert headline.cost(run_data(manifest, free)).startswith("Cost: unknown USD;")
    simulated = manifest.replaced(simulated=("a", "b"))
    assert headline.cost(run_data(simulated, free)).startswith("Cost: none (simulated);")


@pytest.fixture
def made(tmp_path: Path) -> str:
    return str(written(tmp_path / "run", *study(("a", "b"), ("qiskit",), 3, 2, ("default", "none"))))


@pytest.mark.slow
def test_full_prints_every_table(made):
    full, short = (CliRunner().invoke(app, ["report", made, *more]).stdout for more in (["--full"], []))
    assert full.count("\n") > 40 >= short.count("\n")
    for title in ("95% Wilson intervals", "Counts and costs", "Repair vs. independent resampling"):
        assert title in full
        assert title not in short
    for more in (["--json"], ["--html"], ["--published", "quanbench-plus"]):
        with pytest.raises(UsageError, match="--full cannot be combined with"):
            CliRunner().invoke(app, ["report", made, "--full", *more], catch_exceptions=False)


EXPERIMENT = """
models = ["sim/novice", "sim/expert"]
suites = ["aligned", "conventions?bits=0,3&families=fourier,walk", "conventions?bits=2&families=adder"]
frameworks = ["qiskit"]
limit = 5

[repair]
feedback = ["default", "verdict", "none"]
"""


@pytest.mark.slow
def test_plan_has_a_row_per_pair_of_arms_and_of_models(tmp_path):
    (tmp_path / "study.toml").write_text(EXPERIMENT)

    def printed_plan(*more):
        done = CliRunner().invoke(app, ["run", str(tmp_path / "study.toml"), "--plan", *more], catch_exceptions=False)
        return done.stdout

    short, full = printed_plan(), printed_plan("--full")
    assert short.count("\n") <= 40 < full.count("\n")
    assert short.count("default - none") == 1
    assert full.count("default - none") >= 6
    found = json.loads(printed_plan("--json"))["power"]["comparisons"]
    assert f"of {len(found)} comparisons" in words(short)
    assert words(short).count("sim/expert - sim/novice") == 2
    with pytest.raises(UsageError, match="use --full only with --plan"):
        CliRunner().invoke(app, ["run", str(tmp_path / "study.toml"), "--full"], catch_exceptions=False)


def test_plan_prints_the_hash_of_the_lock_in_full():
    compared = {"suite": "aligned", "within": "a", "baseline": "none", "other": "default", "k": 2, "tests": 1}
    size = {"problems": 30, "pairs": 30, "detectable": 0.2, "holm": 0.2, "most": None, "unknown": None}
    rates = {"first": 0.4, "repaired": 0.4, "icc": 0.3, "correlation": 0.9}
    found = {"more": None, "supposes": {"rates": rates, "stated": []}, "comparisons": [{**compared, **size}]}
    table = power({"study_lock": "0123456789abcdef" * 4, "models": [], "power": found})
    assert f"Hash of study.lock: {'0123456789abcdef' * 4}." in table.notes[0]
