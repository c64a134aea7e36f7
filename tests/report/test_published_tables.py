import json

import pytest
from printing import terminal_text

from repair_bench.analysis.published import PAPERS, load
from repair_bench.report.sections import printed as documents
from repair_bench.report.sections.published import published
from repair_bench.testing.made_up_runs import run, study
from repair_bench.traces.run.manifest import Manifest


def printed(found, width=80):
    return terminal_text(documents.optional(found.shown(), width), width)


def beside(paper, manifest, attempts):
    return published(paper, manifest, attempts).to_json()


@pytest.mark.parametrize("paper", PAPERS)
def test_any_run_is_compared_with_any_paper_and_caveats(paper):
    attempts, manifest = run(models=("sim/a",), tasks=4)
    found = beside(paper, manifest, attempts)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    lines = printed(published(paper, manifest, attempts))
    text = " ".join(lines.split())
    assert max(map(len, lines.splitlines())) <= 80
    assert "SIMULATED MODEL" in text
    assert "not ranked among the published results" in text
    assert "instead of the published tasks" in text
    for caveat in load(paper).caveats:
        assert " ".join(caveat.split()) in text
    assert "QuanBench+'s released code uses FB@4" in text
    assert json.loads(json.dumps(beside(paper, Manifest.from_json({}), []), allow_nan=False))["paper"] == paper


def test_rows_of_the_run_are_first_and_marked_simulated():
    attempts, manifest = run(models=("sim/a", "b"), frameworks=("qiskit",), tasks=6)
    rows = beside("quanbench-plus", manifest, attempts)["tables"][0]["rows"]
    assert [(row["from"], row["name"]) for row in rows[:3]] == [
        ("this run", "b"),
        ("this run", "sim/a (simulated)"),
        ("published", "Gemini-3-Pro"),
    ]
    assert len(rows) == 2 + 12


def test_published_figures_match_the_papers():
    attempts, manifest = run(models=("b",), tasks=2)
    rows = beside("quanbench-plus", manifest, attempts)["tables"][0]["rows"]
    gpt = {row["framework"]: (row["Pass@1"], row["FB"], row["Pass@5"]) for row in rows if row["name"] == "GPT-5.1"}
    assert gpt == {
        "qiskit": ("57.1", "83.3", "76.2"),
        "cirq": ("52.4", "73.8", "64.3"),
        "pennylane": ("42.9", "66.7", "57.1"),
    }


def test_fb_of_the_code_and_of_the_text_are_different_columns():
    attempts, manifest = study(("b",), ("qiskit",), tasks=6, repairs=4, samples=5)
    row = beside("quanbench-plus", manifest, attempts)["tables"][0]["rows"][0]
    assert row["FB@4"] != "-"
    assert row["FB@5"] == row["FB"] == "-"
    assert row["Pass@5"] != "-"


def test_shared_first_answers_count_once():
    arms = {"policies": ("default", "none"), "tasks": 6, "categories": ("tutorials",), "difficulties": ("basic",)}
    attempts, manifest = study(("b",), ("qiskit",), **arms)
    tables = beside("quantum-katas", manifest, attempts)["tables"]
    (categories,) = (table["rows"] for table in tables if table["where"] == "Table 6")
    assert [row["n"] for row in categories if row["category"] == "tutorials"] == ["6"]


def test_samples_are_counted_as_answers():
    attempts, manifest = study(("b",), ("qiskit",), tasks=6, samples=3, difficulties=("basic",))
    (table,) = beside("qiskit-humaneval", manifest, attempts)["tables"]
    assert "first answers passed" in table["title"]
    assert table["rows"][0]["basic"].endswith(" / 18")
