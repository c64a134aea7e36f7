"""Verdicts on outcomes, and on hostile observations, which never crash a check."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging import distribution, judge, task, unitary

from repair_bench.suites.checks import Case, CircuitCheck, DistributionCheck, StateCheck, UnitaryCheck
from repair_bench.traces.record.records import ExceptionInfo, Outcome, Verdict

FAIR = DistributionCheck(cases=(Case((), {"0": 0.5, "1": 0.5}),))
GATED = DistributionCheck(cases=(Case((), {"0": 0.5, "1": 0.5}),), gates=frozenset({"h"}))
ZERO = StateCheck(cases=(Case((), np.array([1, 0], dtype=complex)),))
FLIP = UnitaryCheck(cases=(Case((), np.array([[0, 1], [1, 0]], dtype=complex)),), qubits=1)
CHECKS = [FAIR, GATED, ZERO, FLIP]


def verdict(outcome: Outcome, check: CircuitCheck = FAIR) -> Verdict:
    return check.judge(task(check), outcome)


def test_an_exception_is_an_exception_with_its_traceback() -> None:
    raised = ExceptionInfo("ValueError", "no", "Traceback ...")
    found = verdict(Outcome("exception", exception=raised))
    assert found.kind == "exception"
    assert found.evidence == {"type": "ValueError", "message": "no", "traceback": "Traceback ..."}


def test_a_missing_entry_point_has_the_verdict_no_code() -> None:
    found = verdict(Outcome("no_entry"))
    assert found.kind == "no_code"
    assert found.evidence["missing"] == "entry_point"
    assert "answer" in found.evidence["problem"]


@pytest.mark.parametrize("status", ["cpu_timeout", "wall_timeout", "memory", "output_limit", "disk"])
def test_a_limit_is_named(status: Any) -> None:
    found = verdict(Outcome(status))
    assert found.kind == "limit"
    assert found.evidence["limit"] == status
    assert found.evidence["problem"]


def test_a_process_that_died_is_an_exception() -> None:
    found = verdict(Outcome("killed"))
    assert (found.kind, found.evidence["type"]) == ("exception", "ProcessDied")


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("mismatch", ["type", "shape"])
def test_an_unreadable_value_is_a_wrong_answer_with_its_mismatch(check: CircuitCheck, mismatch: str) -> None:
    seen = {"kind": "other", "type": "NoneType", "repr": "None", "problem": "returned None", "mismatch": mismatch}
    found = judge(check, seen)
    assert found.kind == "wrong_answer"
    assert found.evidence["problem"] == "returned None"
    assert found.evidence["cases"][0]["mismatch"] == mismatch
    assert found.evidence["cases"][0]["got"] == {"type": "NoneType", "repr": "None"}


@pytest.mark.parametrize("value", [None, 3, "cases", [], {}, {"cases": None}, {"cases": []}, {"cases": [1]}])
def test_a_value_without_an_observation_per_case_is_a_wrong_type(value: Any) -> None:
    found = verdict(Outcome("returned", value=value))
    assert found.kind == "wrong_answer"
    assert found.evidence["cases"][0]["mismatch"] == "type"


GOOD = distribution({"0": 0.5, "1": 0.5})
BROKEN = [
    {**GOOD, "kind": "state"},
    {**GOOD, "kind": None},
    {**GOOD, "bits": 2},
    {**GOOD, "bits": True},
    {**GOOD, "bits": 1.0},
    {**GOOD, "bits": 10**30},
    {**GOOD, "bits": -1},
    {**GOOD, "shots": 0},
    {**GOOD, "shots": "1000"},
    {**GOOD, "shots": 10**400},
    {**GOOD, "probabilities": None},
    {**GOOD, "probabilities": {}},
    {**GOOD, "probabilities": [0.5, 0.5]},
    {**GOOD, "probabilities": {"0": 0.5, "1": 0.5, "2": 0.0}},
    {**GOOD, "probabilities": {"0": 0.5, "11": 0.5}},
    {**GOOD, "probabilities": {"0": 0.5, "1": "0.5"}},
    {**GOOD, "probabilities": {"0": 0.5, "1": None}},
    {**GOOD, "probabilities": {"0": True}},
    {**GOOD, "probabilities": {"0": math.nan, "1": 0.5}},
    {**GOOD, "probabilities": {"0": math.inf, "1": -math.inf}},
    {**GOOD, "probabilities": {"0": 1.5, "1": -0.5}},
    {**GOOD, "probabilities": {"0": 0.5, "1": 0.4}},
    {**GOOD, "probabilities": {"0": 10**400, "1": 0}},
    {**GOOD, "probabilities": {"٠": 0.5, "1": 0.5}},
]


@pytest.mark.parametrize("seen", BROKEN)
def test_a_distribution_that_violates_the_schema_never_passes(seen: dict[str, Any]) -> None:
    assert judge(FAIR, GOOD).kind == "pass"
    found = judge(FAIR, seen)
    assert found.kind == "wrong_answer"
    assert found.evidence["problem"]


UP = [[1.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize(
    "amplitudes",
    [None, {}, "10", [], [1, 0], [[1, 0]], [[1, 0], [0]], [[1, 0], [0, "0"]], [[1, 0], [math.nan, 0]],
     [[math.inf, 0], [0, 0]], [[10**400, 0], [0, 0]], [[True, False], [False, False]], [[[1, 0]], [[0, 0]]]],
)  # fmt: skip
def test_a_state_that_violates_the_schema_never_passes(amplitudes: Any) -> None:
    assert judge(ZERO, {"kind": "state", "qubits": 1, "amplitudes": UP}).kind == "pass"
    assert judge(ZERO, {"kind": "state", "qubits": 1, "amplitudes": amplitudes}).kind == "wrong_answer"


@pytest.mark.parametrize("qubits", [0, 2, -1, 63, 10**9, None, "1", 1.0, True])
def test_a_wrong_number_of_qubits_never_passes(qubits: Any) -> None:
    assert judge(ZERO, {"kind": "state", "qubits": qubits, "amplitudes": UP}).kind == "wrong_answer"


@pytest.mark.parametrize("gates", [[], "h", {"h": "2"}, {"h": -1}, {"h": 1.5}, {"x" * 1000: 1}, {1: 1}])
def test_gates_that_violate_the_schema_never_pass(gates: Any) -> None:
    assert judge(GATED, {**GOOD, "gates": {"h": 1}}).kind == "pass"
    assert judge(GATED, {**GOOD, "gates": gates}).kind == "wrong_answer"


numbers = st.one_of(st.integers(), st.floats(), st.just(10**400))
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=5), st.just("\ud800")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
right = {**distribution({"0": 0.5, "1": 0.5}, gates={"h": 1}), "qubits": 1, "amplitudes": UP}
right["matrix"] = unitary(np.array([[0, 1], [1, 0]]))["matrix"]
fields = [*right, "problem", "repr", "mismatch"]
kinds = st.sampled_from(["distribution", "state", "unitary", "other"])


@pytest.mark.slow
@given(json_values)
def test_no_value_makes_a_check_crash_or_pass(value: Any) -> None:
    for check in CHECKS:
        assert verdict(Outcome("returned", value=value), check).kind == "wrong_answer"
        assert judge(check, value).kind == "wrong_answer"


@pytest.mark.slow
@given(kinds, st.sampled_from(fields), json_values)
def test_no_field_makes_a_check_crash(kind: str, field: str, value: Any) -> None:
    for check in CHECKS:
        found = judge(check, {**right, "kind": kind, field: value})
        assert found.kind in {"pass", "wrong_answer"}
        json.dumps(found.evidence, allow_nan=False, ensure_ascii=False).encode()


def test_evidence_of_a_huge_text_is_bounded() -> None:
    found = judge(FAIR, {"kind": "other", "type": "str", "repr": "x" * 10**6, "problem": "y" * 10**6})
    assert len(json.dumps(found.evidence)) < 5000


def test_the_program_calls_the_entry_point_once_per_case() -> None:
    two = UnitaryCheck(cases=(Case((1,), None), Case((2, [3]), None)), setup="def inputs(*a): ...", qubits=2)
    program = two.program(task(two, "qiskit"), "code", seed=5)
    assert (program.framework, program.source, program.seed) == ("qiskit", "code", 5)
    assert (program.call.entry_point, program.call.observe, program.call.qubits) == ("answer", "unitary", 2)
    assert program.call.cases == ((1,), (2, [3]))
    assert program.call.setup == "def inputs(*a): ..."
