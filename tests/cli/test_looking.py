"""The commands that show runs, on the command line, with synthetic runs."""

import json
from pathlib import Path

import pytest
from commands import called
from typer.testing import CliRunner

from repair_bench.cli import app
from repair_bench.report.plots import KINDS
from repair_bench.testing.made_up_runs import attempts_of, run, study, written
from repair_bench.traces.faults import UsageError
from repair_bench.traces.run.study_lock import Comparison, StudyLock


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("runs")
    return {
        "a": str(written(folder / "a", *run(models=("sim/a",), tasks=4))),
        "b": str(written(folder / "b", *run(models=("b",), tasks=4))),
        "study": str(written(folder / "study", *study(tasks=3, policies=("default", "none")))),
    }


def refused(*arguments: str) -> str:
    with pytest.raises(UsageError) as caught:
        CliRunner().invoke(app, arguments, catch_exceptions=False)
    return str(caught.value)


def test_two_runs_are_compared(runs):
    found = json.loads(called("compare", runs["a"], runs["b"], "--json"))
    assert (found["by"], found["pairs"]) == ("model", 12)
    text = called("compare", runs["a"], runs["b"], "--only", "framework=cirq", "--k", "1")
    assert "SIMULATED MODEL" in text
    assert "4 pairs, by model" in text


def test_two_arms_of_a_run_are_compared(runs):
    found = json.loads(called("compare", "none", "default", "--by", "condition", "--in", runs["study"], "--json"))
    assert found["pairs"] == 9
    assert "use --by to name the field" in refused("compare", "none", "default", "--in", runs["study"])
    assert "has no condition" in refused("compare", "no", "default", "--by", "condition", "--in", runs["study"])


@pytest.fixture(scope="module")
def planned(tmp_path_factory) -> str:
    """A run of two models and three arms, made for one comparison of arms and one of models."""
    attempts, manifest = study(("a", "b"), ("qiskit", "cirq"), 3, 2, ("default", "none", "verdict"))
    directory = written(tmp_path_factory.mktemp("planned") / "run", attempts, manifest)
    asked = [
        Comparison("condition", "aligned", "a", "none", "default", 2),
        Comparison("model", "aligned", "default", "b", "a", 2),
    ]
    StudyLock.of(dict.fromkeys(asked, 6), conditions={}, suites={}, experiment={}, analysis={}).write(directory)
    return str(directory)


def effects(*arguments: str) -> list[tuple[str, str, bool]]:
    rows = json.loads(called("report", *arguments, "--json"))["sections"]["effects"]["rows"]
    return [(row["model"], row["control"], row["exploratory"]) for row in rows]


def test_exploratory_comparisons_are_marked(planned):
    marks = [("a", "none", False), ("a", "verdict", True), ("b", "none", True), ("b", "verdict", True)]
    assert effects(planned) == marks
    assert effects(planned, "--only", "model=a") == marks[:2]
    assert {mark for *_, mark in effects(planned, "--only", "framework=cirq")} == {True}, "chosen after the fact"
    assert "exploratory" in called("report", planned)


@pytest.mark.slow
def test_comparison_is_planned_only_complete_and_at_its_k(planned):
    def marks(*arguments: str) -> list[bool]:
        found = json.loads(called("compare", *arguments, "--in", planned, "--json"))
        return [row["exploratory"] for row in found["rows"]]

    assert marks("a", "b", "--by", "model", "--only", "condition=default") == [True] * 5 + [False]
    assert all(marks("a", "b", "--by", "model")), "conditions together were not planned"
    assert all(marks("a", "b", "--by", "model", "--only", "condition=default", "--k", "1"))
    assert marks("none", "default", "--by", "condition", "--only", "model=a")[-1] is False
    assert marks("none", "default", "--by", "condition", "--only", "model=b")[-1] is True
    assert all(marks("qiskit", "cirq", "--by", "framework"))


def test_run_without_a_lock_has_no_marks(runs):
    assert "exploratory" not in called("report", runs["study"])
    assert "exploratory" not in called("compare", runs["a"], runs["b"], "--json")
    rows = json.loads(called("report", runs["study"], "--json"))["sections"]["effects"]["rows"]
    assert all("exploratory" not in row for row in rows)


def test_report_has_every_section(runs):
    found = json.loads(called("report", runs["study"], "--json"))
    assert {"frameworks", "effects", "equal_budget"} <= set(found["sections"])
    assert found["rows"]
    assert "Effect of feedback" in called("report", runs["study"])
    both = json.loads(called("report", runs["a"], runs["b"], "--json"))
    assert {row["model"] for row in both["rows"]} == {"sim/a", "b"}


def test_report_is_compared_with_a_paper(runs):
    assert (
        json.loads(called("report", runs["a"], "--published", "quanbench-plus", "--json"))["paper"] == "quanbench-plus"
    )
    assert "not ranked" in called("report", runs["a"], "--published", "quantum-katas")
    assert "Unknown paper 'x'" in refused("report", runs["a"], "--published", "x")


def test_page_excludes_json_and_rules(runs):
    assert "--html cannot be combined with" in refused("report", runs["a"], "--html", "--json")
    assert "--html cannot be combined with" in refused("report", runs["a"], "--out", "x")
    assert "use --out only with --html" in refused("compare", runs["a"], runs["b"], "--out", "x")
    assert "--html without --json" in refused("compare", runs["a"], runs["b"], "--html", "--json")


@pytest.mark.parametrize(
    "options", [("--rule", "--published"), ("--rule", "--certificate"), ("--published", "--certificate")]
)
def test_report_does_not_ignore_an_option(runs, options):
    assert "use only one of" in refused(
        "report", runs["a"], *(part for option in options for part in (option, "exact"))
    )


@pytest.mark.slow
def test_plots_are_chosen_by_kind(runs, tmp_path):
    out = str(tmp_path)
    printed = called("plot", runs["a"], runs["b"], "--kind", "errors", "--out", out).split()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["errors.png", "errors.svg"]
    assert len(printed) == 2
    assert all(kind in refused("plot", runs["a"], "--kind", "pie") for kind in KINDS)
    assert "set --out" in refused("plot", runs["a"], runs["b"], "--kind", "errors")
    assert "No attempt has framework braket" in refused("plot", runs["a"], "--only", "framework=braket", "--out", out)
    nothing = CliRunner().invoke(app, ["plot", runs["a"], "--kind", "information", "--out", str(tmp_path / "none")])
    assert (nothing.exit_code, nothing.stdout) == (2, "")
    assert nothing.stderr.startswith("Not drawn: information: No task in the run has a hidden")
    assert nothing.stderr.count("\n") == 1
    assert not (tmp_path / "none").exists()


def test_outdated_plot_is_removed(runs, tmp_path):
    for name in ("information.png", "information.svg", "heatmap.png", "mine.png"):
        (tmp_path / name).touch()
    CliRunner().invoke(app, ["plot", runs["a"], "--kind", "information", "--out", str(tmp_path)])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["heatmap.png", "mine.png"]


def test_file_that_is_not_a_certificate_is_refused(runs, tmp_path):
    (tmp_path / "x.json").write_text("[]")
    assert "is not a certificate" in refused("report", runs["a"], "--certificate", str(tmp_path / "x.json"))


@pytest.mark.slow
def test_an_episode_is_found_by_its_task(tmp_path):
    other = attempts_of("p", "16af", task_id="21", code="other = 1")
    wanted = attempts_of("wp", "77bb", task_id="16", code="wanted = 1")
    again = attempts_of("w", "88cc", task_id="16", framework="cirq", code="again = 1")
    directory = str(written(tmp_path / "run", [*other, *wanted, *again]))
    assert refused("show", directory, "16").startswith("16 is a task, not an episode. Use --task 16")
    assert "wanted = 1" in called("show", directory, "--task", "16", "--framework", "qiskit")
    assert "other = 1" in called("show", directory, "16a")
    assert ["other = 1" in attempt["code"] for attempt in json.loads(called("show", directory, "16a", "--json"))] == [
        True
    ]
    listed = json.loads(called("show", directory, "--task", "16", "--json"))
    assert [(row["episode"], row["attempts"], row["ending"]) for row in listed] == [
        ("88cc", 1, "wrong answer: value"),
        ("77bb", 2, "pass"),
    ]
    text = called("show", directory, "--task", "16")
    assert "77bb" in text
    assert "88cc" in text
    assert "Choose from 16, 21" in refused("show", directory, "--task", "17")
    everything = called("show", directory).splitlines()
    assert [line.split(",")[0] for line in everything] == ["88cc  16", "77bb  16", "16af  21"]
    assert "again = 1" in called("show", directory, "--framework", "cirq")
    for option in (("--task", "16"), ("--framework", "cirq")):
        assert "use either the id of an episode, or" in refused("show", directory, "77", *option)


@pytest.mark.parametrize(
    "command",
    [
        ["show", "{run}"],
        ["show", "{run}", "--json"],
        ["show", "{run}", "77"],
        ["report", "{run}", "--only", "framework=cirq"],
        ["compare", "{run}", "{run}"],
        ["compare", "a", "b", "--in", "{run}", "--by", "model"],
    ],
)
def test_run_without_attempts_is_refused_in_one_line(tmp_path, command):
    directory = written(tmp_path / "run", [])
    assert "no attempts have been recorded yet" in refused(*(part.format(run=directory) for part in command))


def test_page_of_several_runs_requires_out(runs):
    assert "a page that covers several runs has no default file" in refused("report", runs["a"], runs["b"], "--html")
    assert not Path(runs["a"], "report.html").exists()
