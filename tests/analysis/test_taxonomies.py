import json
from pathlib import Path

import pytest
from failing_programs import EXPECTED, PROGRAMS, UNIT_TESTS
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.analysis.published import load
from repair_bench.analysis.taxonomy import QUANBENCH_PLUS, QUANTUM_KATAS
from repair_bench.analysis.taxonomy.rules import Symptoms, class_name
from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Limits
from repair_bench.suites.checks import Case, DistributionCheck, UnitTestCheck
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Verdict

FILE = Path(__file__).with_name("recorded_failures.jsonl")
"""Verdicts of real runs of the failing programs (Qiskit 2.6.2, PennyLane 0.45.1, Cirq 1.7.0), with their names."""
RECORDED = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
TABLES = pytest.mark.parametrize("taxonomy", [QUANBENCH_PLUS, QUANTUM_KATAS], ids=lambda one: one.name)


def exception_class(verdict):
    """Return the name in the first column of Table 7: the class of an exception without its modules.

    "AssertionError" for every other wrong answer, "MissingEntryPoint" where there is no code; "pass" and "limit" stay.
    """
    if verdict.kind == "no_code":
        return "MissingEntryPoint"
    if verdict.kind in {"pass", "limit"}:
        return QUANTUM_KATAS.of(verdict)
    fallback = "AssertionError" if verdict.kind == "wrong_answer" else "exception"
    return class_name(Symptoms.of(verdict).raised) or fallback


def names(verdict):
    return QUANBENCH_PLUS.of(verdict), exception_class(verdict), QUANTUM_KATAS.of(verdict)


def named(line):
    return line["quanbench_plus"], line["error_type"], line["group"]


@pytest.mark.parametrize("line", RECORDED, ids=[f"{r['framework']} {r['program']}" for r in RECORDED])
def test_recorded_failures_have_expected_classes(line):
    assert names(Verdict(line["kind"], line["evidence"])) == named(line)


@pytest.mark.slow
def test_frameworks_still_raise_the_recorded_errors():
    """Each program runs again in a real child process; its exception and its classes equal the recorded ones."""
    limits = Limits(cpu_seconds=10)
    by_value = DistributionCheck(cases=(Case((), EXPECTED),), limits=limits)
    todo = [(key, source, by_value) for key, source in PROGRAMS.items()]
    for name, test in UNIT_TESTS.items():
        by_test = UnitTestCheck(test=test, function="test", limits=limits)
        todo.append((("qiskit", name), PROGRAMS["qiskit", "nothing measured"], by_test))

    async def judged():
        async with LocalExecutor(workers=2) as executor:
            for (framework, name), source, check in todo:
                task = Task("by hand", "01", framework, "answer", "", "", check, "algorithm")
                yield framework, name, check.judge(task, await executor.run(check.program(task, source)))

    async def compare():
        lines = {(line["framework"], line["program"]): line for line in RECORDED}
        async for framework, name, verdict in judged():
            line = lines.pop((framework, name))
            assert verdict.kind == line["kind"], (framework, name, verdict)
            assert verdict.evidence.get("type") == line["evidence"].get("type"), (framework, name)
            assert names(verdict) == named(line), (framework, name)
        assert lines == {}

    run_to_end(compare())


def test_every_class_occurs_in_a_recorded_failure():
    met = {line["quanbench_plus"] for line in RECORDED}
    assert met == set(QUANBENCH_PLUS.names)
    assert {line["group"] for line in RECORDED} == set(QUANTUM_KATAS.names)
    for framework in ("qiskit", "pennylane", "cirq"):
        found = {line["quanbench_plus"] for line in RECORDED if line["framework"] == framework}
        assert found >= set(QUANBENCH_PLUS.names) - {"no code", "limit"}


def test_the_same_mistake_has_the_same_name_in_every_framework():
    """Except for matrices of a wrong size: Qiskit and Cirq check qubits, PennyLane checks shapes."""
    by_mistake = {}
    for line in RECORDED:
        by_mistake.setdefault(line["program"], set()).add(line["quanbench_plus"])
    differing = {mistake for mistake, found in by_mistake.items() if len(found) > 1}
    assert differing == {"matrix of the wrong size"}


@pytest.mark.slow
@TABLES
@given(
    kind=st.sampled_from(["exception", "wrong_answer", "no_code", "limit", "context"]),
    evidence=st.fixed_dictionaries(
        {},
        optional={
            "type": st.text()
            | st.sampled_from(["ValueError", "qiskit.circuit.exceptions.CircuitError", "a.b.WireError"]),
            "message": st.text(),
            "assertion": st.text(),
            "cases": st.lists(st.fixed_dictionaries({"mismatch": st.sampled_from([None, "shape", "type"])})),
        },
    ),
)
def test_every_failure_has_exactly_one_class(taxonomy, kind, evidence):
    verdict = Verdict(kind, evidence)
    assert taxonomy.of(verdict) in taxonomy.names
    assert (taxonomy.of(verdict) == "limit") == (kind in ("limit", "context"))
    assert taxonomy.of(Verdict("pass", evidence)) == "pass"


@TABLES
def test_every_rule_has_a_reason_and_every_class_a_rule(taxonomy):
    assert {rule.name for rule in taxonomy.rules} == set(taxonomy.names)
    assert all(rule.why for rule in taxonomy.rules)
    assert taxonomy.note


def test_class_names_match_the_papers():
    quanbench, katas = load("quanbench-plus"), load("quantum-katas")
    classes = {row.error_class for row in quanbench.tables["error_shares"]}
    assert classes == set(QUANBENCH_PLUS.names) - {"no code", "limit"}
    for row in katas.tables["table_7"]:
        if row.error_type != "remaining":
            kind = "no_code" if row.error_type == "MissingEntryPoint" else "exception"
            verdict = Verdict(kind, {"type": row.error_type})
            assert (exception_class(verdict), QUANTUM_KATAS.of(verdict)) == (row.error_type, row.group)


def test_departures_from_table_7_are_printed_with_its_shares():
    """The table of the paper does not contain these classes."""
    for raised, group in [
        ("UnboundLocalError", "code structure"),
        ("IndentationError", "code structure"),
        ("TabError", "code structure"),
        ("qiskit.transpiler.exceptions.TranspilerError", "API errors"),
    ]:
        assert QUANTUM_KATAS.of(Verdict("exception", {"type": raised})) == group != "runtime/other"
        assert class_name(raised).replace("TranspilerError", "all framework exceptions") in QUANTUM_KATAS.note
    assert QUANTUM_KATAS.of(Verdict("limit", {"limit": "memory"})) == "limit"
    assert "memory" in QUANTUM_KATAS.note
    assert "Table 7" in QUANTUM_KATAS.note
