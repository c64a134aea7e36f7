"""The commands that look at runs, from the command line, over runs that are made up."""

import json

import pytest
from typer.testing import CliRunner

from repair_bench.cli import app
from repair_bench.report.plots import KINDS
from repair_bench.testing.made_up_runs import run, study, written
from repair_bench.traces.faults import UsageError


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("runs")
    return {
        "a": str(written(folder / "a", *run(models=("sim/a",), tasks=4))),
        "b": str(written(folder / "b", *run(models=("b",), tasks=4))),
        "study": str(written(folder / "study", *study(tasks=3, policies=("default", "none")))),
    }


def called(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


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
    assert "--in goes with --by" in refused("compare", "none", "default", "--in", runs["study"])
    assert "holds no condition" in refused("compare", "no", "default", "--by", "condition", "--in", runs["study"])


def test_a_report_holds_every_section(runs):
    found = json.loads(called("report", runs["study"], "--json"))
    assert {"frameworks", "effects", "equal_budget", "kinds", "spending"} <= set(found["sections"])
    assert found["rows"]
    assert "What feedback causes" in called("report", runs["study"])
    both = json.loads(called("report", runs["a"], runs["b"], "--json"))
    assert {row["model"] for row in both["rows"]} == {"sim/a", "b"}


def test_a_report_stands_beside_a_paper(runs):
    assert json.loads(called("report", runs["a"], "--beside", "quanbench-plus", "--json"))["paper"] == "quanbench-plus"
    assert "not ranked" in called("report", runs["a"], "--beside", "quantum-katas")
    assert "no published figures are called 'x'" in refused("report", runs["a"], "--beside", "x")


def test_a_page_is_neither_json_nor_under_other_rules(runs):
    assert "--html with neither" in refused("report", runs["a"], "--html", "--json")
    assert "--html with neither" in refused("report", runs["a"], "--out", "x")
    assert "--out goes with --html" in refused("compare", runs["a"], runs["b"], "--out", "x")
    assert "--html without --json" in refused("compare", runs["a"], runs["b"], "--html", "--json")


def test_plots_are_chosen_by_kind(runs, tmp_path):
    out = str(tmp_path)
    printed = called("plot", runs["a"], runs["b"], "--kind", "aggregate", "--out", out).split()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["aggregate.png", "aggregate.svg"]
    assert len(printed) == 2
    assert all(kind in refused("plot", runs["a"], "--kind", "pie") for kind in (*KINDS, "certificate", "calibration"))
    assert "by --out" in refused("plot", runs["a"], runs["b"], "--kind", "aggregate")
    assert "nothing has framework braket" in refused("plot", runs["a"], "--only", "framework=braket", "--out", out)
    assert "suites calibrate" in refused("plot", runs["a"], "--kind", "calibration")
    nothing = CliRunner().invoke(app, ["plot", runs["a"], "--kind", "prefill", "--out", str(tmp_path / "none")])
    assert (nothing.exit_code, nothing.stdout) == (2, "")
    assert nothing.stderr.startswith("not drawn: prefill: no two conditions differ in")
    assert nothing.stderr.count("\n") == 1
    assert not (tmp_path / "none").exists()


def test_a_certificate_that_is_none_is_refused(runs, tmp_path):
    (tmp_path / "x.json").write_text("[]")
    assert "is no certificate" in refused("report", runs["a"], "--certificate", str(tmp_path / "x.json"))
