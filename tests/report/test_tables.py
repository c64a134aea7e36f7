import json
from dataclasses import replace

import pytest
from printing import terminal_text, words

from repair_bench.analysis.rates.metrics import FB_NOTE
from repair_bench.analysis.summary import summary
from repair_bench.report.sections import SUMMARY, run_data, tables
from repair_bench.report.sections import printed as documents
from repair_bench.testing.made_up_runs import attempts_of, run, up_to
from repair_bench.traces.record.records import Completion
from repair_bench.traces.run.manifest import Manifest


def printed(attempts, manifest, width=80) -> str:
    return terminal_text(documents.full(run_data(manifest, attempts), width), width)


def test_rows_have_the_curve_with_intervals():
    attempts = [
        a
        for n in range(350)
        for a in attempts_of("p" if n < 200 else "ep" if n < 291 else "ee", f"e{n}", task_id=str(n))
    ]
    (row,) = summary(up_to(1), attempts)["rows"]
    assert (row["model"], row["framework"], row["tasks"], row["counted"]) == ("sim/one", "qiskit", 350, 350)
    assert row["pass_at_1"] == row["fb"][0]["rate"] == 200 / 350
    last = row["fb"][1]
    assert (last["solved"], round(last["rate"], 3), round(last["low"], 3), round(last["high"], 3)) == (
        291,
        0.831,
        0.789,
        0.867,
    )
    text = printed(attempts, up_to(1))
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


def test_fb_is_explained_wherever_it_is_printed():
    assert FB_NOTE in words(printed(*run(tasks=2)))


def test_the_json_is_plain_data():
    attempts, manifest = run(models=("sim/a", "b"), tasks=5, faults=0.05, cut=0.3)
    figures = summary(manifest, attempts)
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures
    assert sum(row["episodes"] for row in figures["rows"]) == figures["total"]["episodes"] == 30
    for row in figures["rows"]:  # censored episodes count up to their last attempt
        assert max(row["counted"], row["faults"] + row["incomplete"]) <= row["episodes"]
        assert row["counted"] + row["faults"] + row["incomplete"] >= row["episodes"]


def test_rates_cover_all_tasks_and_sound_tasks():
    attempts, manifest = run(tasks=10)
    labels = {"wrong": [["aligned", "03"], ["aligned", "07"]], "underspecified": [["aligned", "03"], ["other", "01"]]}
    figures = summary(manifest.replaced(labels=labels), attempts)
    assert [row["tasks"] for row in figures["rows"]] == [10] * 3
    assert [row["tasks"] for row in figures["rows_sound"]] == [8] * 3
    assert figures["doubted"] == {"tasks": 3, "weak": 0, "wrong": 2, "underspecified": 2}
    said = words(printed(attempts, manifest.replaced(labels=labels)))
    assert "without 3 tasks that are not sound (2 wrong, 2 underspecified)" in said
    assert "not sound" not in printed(*run(tasks=10))


def test_run_without_sound_tasks_has_a_note():
    attempts, manifest = run(tasks=1)
    weak = manifest.replaced(labels={"weak": [[attempts[0].suite, attempts[0].task_id]]})
    assert summary(weak, attempts)["rows_sound"] == []
    assert "The run contains only 1 task that is not sound (1 weak)." in words(printed(attempts, weak))


def guarded(attempts, tasks):
    """Return the attempts with guarded verdicts for these tasks."""
    judged = [(a, replace(a.verdict, sealed="guarded")) for a in attempts]
    return [replace(a, verdict=v) if (a.task_id, a.framework) in tasks else a for a, v in judged]


def test_rates_with_and_without_guarded_tasks():
    attempts, manifest = run(tasks=10)
    found = guarded(attempts, {("03", "qiskit"), ("07", "qiskit"), ("07", "cirq")})
    figures = summary(manifest, found)
    verdicts = sum(a.verdict.sealed == "guarded" for a in found)
    assert figures["guarded"] == {"verdicts": verdicts, "tasks": 3}
    assert [row["tasks"] for row in figures["rows"]] == [10] * 3
    assert {row["framework"]: row["tasks"] for row in figures["rows_without_guarded"]} == {
        "cirq": 9,
        "pennylane": 10,
        "qiskit": 8,
    }
    said = f"without 3 tasks whose test ran in the candidate's process (guarded: {verdicts} verdicts)"
    assert said in words(printed(found, manifest))
    assert f"Solve rate, in %, {said}" in {table.title for table in tables(run_data(manifest, found), SUMMARY).values()}
    assert summary(manifest, attempts)["rows_without_guarded"] == []
    assert "guarded" not in printed(attempts, manifest)
    everything = guarded(attempts, {(a.task_id, a.framework) for a in attempts})
    assert "The run contains only 30 tasks" in words(printed(everything, manifest))


def test_answers_without_code_follow_the_guarded_task():
    attempts = [*attempts_of("p", "a", sample=0), *attempts_of("n", "b", sample=1)]
    attempts[0] = replace(attempts[0], verdict=replace(attempts[0].verdict, sealed="guarded"))
    attempts += attempts_of("w", "c", task_id="02")
    (row,) = summary(up_to(0), attempts)["rows_without_guarded"]
    assert (row["tasks"], row["counted"], row["pass_at_1"]) == (1, 1, 0.0)


def test_excluded_tasks_are_counted_by_reason():
    attempts, manifest = run(tasks=2)
    manifest = manifest.replaced(excluded=[["s", "9", f, "needs an account"] for f in ("qiskit", "cirq")])
    assert summary(manifest, attempts)["excluded"] == {"needs an account": 2}
    assert "2 tasks (needs an account)" in words(printed(attempts, manifest))


def test_notices_are_printed():
    attempts, manifest = run(models=("sim/a", "b"), tasks=20, faults=0.02, cut=0.2)
    text = words(printed(attempts, manifest.replaced(episodes=500)))
    assert "SIMULATED MODEL: sim/a" in text
    assert "of 500 episodes not finished" in text
    assert "INFRASTRUCTURE ERROR" in text
    quiet = printed(*run(models=("b",), tasks=20))
    assert "SIMULATED" not in quiet
    assert "PARTIAL" not in quiet


def test_suites_and_conditions_are_never_pooled():
    attempts = [
        *attempts_of("p", "a", condition="short"),
        *attempts_of("w", "b", condition="long"),
        *attempts_of("w", "c", suite="other"),
    ]
    assert len(summary(up_to(0), attempts)["rows"]) == 3
    assert "sim/one, aligned, long" in printed(attempts, Manifest.from_json({}))


def test_an_unknown_cost_shows_its_known_part():
    attempts = [*attempts_of("p", "a"), *attempts_of("p", "b", completion=None)]
    assert "unknown" not in printed(attempts, Manifest.from_json({}))
    text = printed([*attempts_of("p", "a"), *attempts_of("p", "b", completion=Completion("x"))], Manifest.from_json({}))
    assert "0.2500" in text
    assert "+1 unknown" in text


@pytest.mark.parametrize("attempts", [[], attempts_of("f")])
def test_empty_run_is_printed(attempts):
    text = printed(attempts, up_to(5))
    assert "-" in text if attempts else "No attempts have been recorded yet" in text
