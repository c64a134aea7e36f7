"""Mistakes of models in OpenQASM 3: each is judged wrong, and the feedback identifies it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from repair_bench import suites
from repair_bench.coroutines import run_to_end
from repair_bench.executors.guest.adapters.openqasm3_adapter import load, observe
from repair_bench.executors.local import LocalExecutor
from repair_bench.grading.audit import Settings, audit
from repair_bench.grading.audit.trivial_baselines import TRIVIAL
from repair_bench.prompts.feedback import make_feedback
from repair_bench.suites import aligned
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Outcome, Verdict

TASKS = {task.id: task for task in aligned.load(frameworks=["openqasm3"]).tasks}
SHOWN = "It is correct for the visible test inputs but incorrect for hidden ones."
REVERSED = "result[0] = measure q[2]; result[1] = measure q[1]; result[2] = measure q[0];"


def judged(task: Task, source: str) -> Verdict:
    """Return the verdict on a program that runs in this process."""
    given: dict[str, Any] = {}
    exec(task.check.setup, given)
    program = load(source)
    calls = [given["inputs"](*case.args) if "inputs" in given else [] for case in task.check.cases]
    seen = [observe(lambda call=call: program(*call), task.check.observe, task.check.qubits) for call in calls]
    return task.check.judge(task, Outcome("returned", value={"cases": seen}))


def answer(number: str, *changes: tuple[str, str]) -> tuple[Task, str]:
    task = TASKS[number]
    source = task.reference
    assert source is not None
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    return task, source


def told(number: str, *changes: tuple[str, str]) -> str:
    """Return the feedback on the reference with these changes, which must be wrong."""
    task, source = answer(number, *changes)
    verdict = judged(task, source)
    assert verdict.kind == "wrong_answer"
    return make_feedback("default", task, verdict, code=source).text


@pytest.mark.parametrize("number", sorted(set(TASKS) - {"10", "25", "31", "32"}))  # which take long
def test_an_additional_barrier_or_register_passes(number: str) -> None:
    task, source = answer(number)
    assert judged(task, source + "barrier;\nbit[2] unused;\n").kind == "pass"


def test_a_final_measurement_changes_no_operation() -> None:
    task, source = answer("36")
    assert judged(task, source + "bit[2] seen = measure q;\n").kind == "pass"
    assert judged(task, source + "bit[2] seen = measure q;\nx q[0];\n").kind == "wrong_answer"


@pytest.mark.parametrize("root", ["pow(-1) @ sx q[1];", "pow(-1/2) @ x q[1];", "back q[1];", "inv @ twice q[1];"])
def test_a_gate_is_allowed_however_it_is_written(root: str) -> None:
    defined = "gate back a { inv @ sx a; }\ngate twice a { sx a; sdg a; s a; }\nqubit[2] q;"
    task, source = answer("44", ("qubit[2] q;", defined), ("inv @ sx q[1];", root))
    assert judged(task, source).kind == "pass"


def test_bits_in_the_wrong_order_are_shown_as_they_came() -> None:
    text = told("22", ("{6, 4, 2, 7, 5, 3, 1}", "{1, 3, 5, 7, 2, 4, 6}"))
    # 0 + 1 + 1 is 2: a = 000 and sum = 0010, the least significant first in the register and so last in the bit string
    assert "Output for input (1, 1):\n\n```\noutcome: probability\n0000010: 0.1250\n" in text
    assert SHOWN not in text


def test_a_string_read_as_a_literal_fails_hidden_inputs() -> None:
    backward = "for int i in [0:1] { if (marked[1 - i] == 0) { x q[i]; } }"
    assert SHOWN in told("01", ("for int i in [0:1] { if (marked[i] == 0) { x q[i]; } }", backward))


def test_an_input_that_is_a_string_is_shown_bit_by_bit() -> None:
    assert "Output for input ([1, 1, 0]):" in told("14", ("result = measure q[0:2];", "result = measure q[3:5];"))


@pytest.mark.parametrize(
    ("number", "old", "new"),
    [
        ("08", "cp(pi / 2", "cp(-pi / 2"),
        ("08", "q[control], q[target];\n  }", "q[control], q[target];\n  }\n  break;"),
        ("15", "ry(theta) q[1]", "ry(-theta) q[1]"),
        ("15", "ch q[0], q[1]", "ch q[1], q[0]"),
        ("18", "if (result[1] == 1) { x q[2]; }", "if (result[0] == 1) { x q[2]; }"),
        ("18", "rx(pi / 4)", "rx(-pi / 4)"),
        ("18", "result[2] = measure q[2];", ""),
        ("29", "ry(-pi / 2) q[0]", "ry(pi / 2) q[0]"),
        ("33", "if (result[0] == 1) { p(-pi / 2) control; }", ""),
        ("36", "cx q[0], q[1]", "cx q[1], q[0]"),
        ("37", "cz q[0], q[1]", "cx q[1], q[0]"),
    ],
)
def test_a_wrong_angle_control_or_condition_is_wrong(number: str, old: str, new: str) -> None:
    assert told(number, (old, new)).startswith("Your program ran, but its result is incorrect.")


def test_feedback_on_an_operation_shows_a_wrongly_mapped_input() -> None:
    text = told("36", ("cx q[0], q[1]", "cx q[1], q[0]"))
    assert "Output:\n\n```\n|01> -> 0.7071|01> - 0.7071|11>\n```\n" in text


@pytest.mark.parametrize(
    ("number", "changes", "problem"),
    [
        ("36", [("qubit[2] q;", "qubit[3] q;")], "the circuit has 3 qubits; 2 qubits were expected"),
        (
            "36",
            [("h q[0];", "bit seen = measure q[0];\nh q[0];")],
            "the circuit measures qubits before its end; a unitary operation was expected",
        ),
        (
            "36",
            [("h q[0];", "reset q[0];")],
            "the circuit resets qubits in use or applies a channel; a unitary operation was expected",
        ),
        (
            "14",
            [("bit[3] result;", "bit[4] result;"), ("result = measure", "result[0:2] = measure")],
            "expected outcomes of 3 bits, got 4 bits",
        ),
        (
            "44",
            [("sdg q[1];\ninv @ sx q[1];", "h q[1];"), ("sx q[1];\ns q[1];", "h q[1];")],
            "the circuit uses gates that are not allowed: h (allowed: cz, s, sdg, sx, sxdg)",
        ),
    ],
)
def test_feedback_on_a_missing_answer_is_a_sentence(number: str, changes: list[tuple[str, str]], problem: str) -> None:
    text = told(number, *changes)
    assert text.split("\n")[1] == problem
    assert "repair_bench" not in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "some", "mutants", "survived"),
    [
        ("aligned", sorted(set(TASKS) - {"32"}), 12, []),
        (
            "aligned",
            ["32"],
            None,
            [  # each is right for the seven bases in the problem, whose orders are 2 and 4
                ("32", 10, "0 -> 1"),
                ("32", 10, "7:-1:0 ends too early"),
                ("32", 13, "8 -> 9"),
                ("32", 27, "1 -> 2"),
                ("32", 27, "7:-1:target + 1 begins too late"),
                ("32", 28, "** -> *"),
                ("32", 28, "- -> +"),
            ],
        ),
        ("conventions?bits=0", None, 12, []),
    ],
)
def test_no_wrong_mutant_and_no_trivial_baseline_passes(
    executor: LocalExecutor,
    name: str,
    some: list[str] | None,
    mutants: int | None,
    survived: list[tuple[str, int, str]],
) -> None:
    """Audit the tasks with the ids `some`, or all tasks, with at most `mutants` mutants each."""
    suite = run_to_end(suites.load(name, frameworks=["openqasm3"], run=executor.run))
    suite = replace(suite, tasks=tuple(task for task in suite.tasks if some is None or task.id in some))
    certificate = run_to_end(audit(suite, executor, Settings(redraws=1, mutants_per_task=mutants, runs=1)))
    found = [
        (task["id"], mutant["line"], mutant["description"])
        for task in certificate.to_json()["tasks"]
        for mutant in task["mutants"]
        if mutant["fate"] == "survived"
    ]
    assert sorted(found) == survived
    figures = certificate.totals()["all"]
    assert figures["references"] == {"pass": len(suite.tasks)}
    assert figures["passed_by"] == {blank: [] for blank in TRIVIAL}
    assert figures["faults"] == 0
