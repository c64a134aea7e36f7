import io
import json

import pytest
from made_up_runs import path, run
from rich.console import Console

from repair_bench.traces.metrics import FB_NOTE
from repair_bench.traces.records import Completion
from repair_bench.traces.tables import render, summary


def printed(attempts, manifest, width=80) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(render(summary(manifest, attempts), width))
    return console.file.getvalue()


def words(text) -> str:
    return " ".join(text.split())


def test_a_row_holds_the_curve_with_its_intervals():
    attempts = [
        a for n in range(350) for a in path("p" if n < 200 else "ep" if n < 291 else "ee", f"e{n}", task_id=str(n))
    ]
    (row,) = summary({"experiment": {"max_attempts": 1}}, attempts)["rows"]
    assert (row["model"], row["framework"], row["tasks"], row["counted"]) == ("sim/one", "qiskit", 350, 350)
    assert row["pass_at_1"] == row["fb"][0]["rate"] == 200 / 350
    last = row["fb"][1]
    assert (last["solved"], round(last["rate"], 3), round(last["low"], 3), round(last["high"], 3)) == (
        291,
        0.831,
        0.789,
        0.867,
    )
    text = printed(attempts, {"experiment": {"max_attempts": 1}})
    assert "83.1" in text
    assert "78.9-86.7" in text


@pytest.mark.parametrize("width", [80, 100, 200])
def test_no_line_is_wider_than_the_terminal_and_no_figure_is_cut(width):
    attempts, manifest = run(models=("openrouter/anthropic/claude-3.5-sonnet-20241022", "[b]x"), repairs=12)
    text = printed(attempts, manifest, width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    assert "[b]x" in text
    for k in range(1, 13):
        assert f"FB@{k}" in text


def test_the_count_of_fb_is_explained_wherever_it_is_printed():
    assert FB_NOTE in words(printed(*run(tasks=2)))


def test_the_json_is_plain_data():
    attempts, manifest = run(models=("sim/a", "b"), tasks=5, faults=0.05, cut=0.3)
    figures = summary(manifest, attempts)
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures
    assert sum(row["episodes"] for row in figures["rows"]) == figures["total"]["episodes"] == 30
    assert all(row["counted"] + row["faults"] + row["incomplete"] == row["episodes"] for row in figures["rows"])


def test_rates_are_given_with_and_without_tasks_whose_reference_is_wrong():
    attempts, manifest = run(tasks=10)
    manifest["reference_wrong"] = [["aligned", "03"], ["aligned", "07"], ["other", "01"]]
    figures = summary(manifest, attempts)
    assert [row["tasks"] for row in figures["rows"]] == [10] * 3
    assert [row["tasks"] for row in figures["rows_without_reference_wrong"]] == [8] * 3
    assert "without the 3 tasks whose reference is wrong" in words(printed(attempts, manifest))
    assert "reference is wrong" not in printed(*run(tasks=10))


def test_excluded_tasks_are_counted_by_reason():
    attempts, manifest = run(tasks=2)
    manifest["excluded"] = [["s", "9", f, "needs an account"] for f in ("qiskit", "cirq")]
    assert summary(manifest, attempts)["excluded"] == {"needs an account": 2}
    assert "2 tasks: needs an account" in words(printed(attempts, manifest))


def test_what_must_be_said_is_said():
    attempts, manifest = run(models=("sim/a", "b"), tasks=20, faults=0.02, cut=0.2)
    text = words(printed(attempts, {**manifest, "episodes": 500}))
    assert "SIMULATED MODEL: sim/a" in text
    assert "of 500 episodes not finished" in text
    assert "infrastructure fault" in text
    quiet = printed(*run(models=("b",), tasks=20))
    assert "SIMULATED" not in quiet
    assert "PARTIAL" not in quiet


def test_suites_and_conditions_are_never_pooled():
    attempts = [*path("p", "a", condition="short"), *path("w", "b", condition="long"), *path("w", "c", suite="other")]
    assert len(summary({"experiment": {"max_attempts": 0}}, attempts)["rows"]) == 3
    assert "sim/one, aligned, long" in printed(attempts, {})


def test_an_unknown_cost_shows_its_known_part():
    attempts = [*path("p", "a"), *path("p", "b", completion=None)]
    assert "unknown" not in printed(attempts, {})
    text = printed([*path("p", "a"), *path("p", "b", completion=Completion("x"))], {})
    assert "0.2500" in text
    assert "+1 unknown" in text


@pytest.mark.parametrize("attempts", [[], path("f")])
def test_a_run_with_nothing_to_count_is_printed_too(attempts):
    text = printed(attempts, {"experiment": {"max_attempts": 5}})
    assert "-" in text if attempts else "No attempt is recorded yet" in text
