"""Changes of verdicts between two gradings of the same solutions."""

import json

import pytest

from repair_bench.grading.audit.drift import drift, read
from repair_bench.traces.faults import UsageError


def line(verdict, task_id="16", framework="qiskit", code="x", **more):
    return {
        "task_id": task_id,
        "framework": framework,
        "code": code,
        "verdict": verdict if verdict not in ("excluded", "fault") else None,
        "error_type": verdict,
        "detail": "" if verdict == "pass" else f"why {verdict}",
        "seconds": 0.1,
        **more,
    }


def test_pairs_are_counted_and_changes_listed():
    kinds = [("pass", "pass"), ("pass", "exception"), ("wrong_answer", "pass"), ("pass", "pass")]
    before = [line(old, task_id=f"{i}") for i, (old, _) in enumerate(kinds)]
    after = [line(new, task_id=f"{i}") for i, (_, new) in enumerate(kinds)]
    assert drift(before, after) == {
        "solutions": 4,
        "judged": 4,
        "passed_before": 3,
        "passed_after": 3,
        "pairs": [
            {"framework": "qiskit", "before": "pass", "after": "exception", "solutions": 1},
            {"framework": "qiskit", "before": "pass", "after": "pass", "solutions": 2},
            {"framework": "qiskit", "before": "wrong_answer", "after": "pass", "solutions": 1},
        ],
        "changed": [
            {"line": 2, "task_id": "1", "framework": "qiskit", "before": "pass", "after": "exception",
             "detail": "why exception"},
            {"line": 3, "task_id": "2", "framework": "qiskit", "before": "wrong_answer", "after": "pass",
             "detail": "why wrong_answer"},
        ],
    }  # fmt: skip


def test_solutions_without_a_verdict_are_not_failures():
    found = drift([line("excluded"), line("pass"), line("pass")], [line("pass"), line("fault"), line("pass")])
    assert (found["judged"], found["passed_before"], found["passed_after"]) == (1, 1, 1)
    assert [(row["before"], row["after"]) for row in found["changed"]] == [("excluded", "pass"), ("pass", "fault")]


def test_frameworks_are_counted_separately():
    pairs = drift([line("pass"), line("pass", framework="cirq")], [line("pass"), line("pass", framework="cirq")])
    assert [row["framework"] for row in pairs["pairs"]] == ["cirq", "qiskit"]


@pytest.mark.parametrize(
    "after", [[], [line("pass", task_id="17")], [line("pass", framework="cirq")], [line("pass", code="y")]]
)
def test_other_solutions_are_not_compared(after):
    with pytest.raises(UsageError, match="different solutions"):
        drift([line("pass")], after)


def test_no_solutions_at_all_have_not_changed():
    assert drift([], [])["changed"] == []


def test_a_file_that_grade_did_not_write_is_named_with_its_line(tmp_path):
    path = tmp_path / "verdicts.jsonl"
    path.write_text(json.dumps(line("pass")) + "\n")
    assert read(path) == [line("pass")]
    for wrong in ("{", "[]", '{"task_id": "16", "framework": "qiskit", "code": "x"}'):
        path.write_text(json.dumps(line("pass")) + "\n" + wrong + "\n")
        with pytest.raises(UsageError, match=r"verdicts\.jsonl:2: expected a graded answer"):
            read(path)
    with pytest.raises(UsageError, match="cannot read"):
        read(tmp_path / "nowhere.jsonl")
