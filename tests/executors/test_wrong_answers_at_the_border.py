"""Values with which a wrong answer could pass a test: none of them reaches the test."""

from collections.abc import Callable
from textwrap import dedent

import pytest

from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Program, UnitTest
from repair_bench.traces.record.records import Outcome

pytestmark = pytest.mark.slow

Tried = Callable[..., Outcome]

IMPORTS = """
import decimal
import cmath, math
import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit import ControlledGate, Gate, Instruction
from qiskit.circuit.library import *
from qiskit.quantum_info import *
"""
NUMBERS = "big, nan, inf = complex(1.7e308, 1.7e308), math.nan, math.inf\n"


@pytest.fixture
def tried(executor: LocalExecutor) -> Tried:
    """Return a function that runs a test, the body of `check(answer)`, against a source."""

    def tried(source: str, body: str, **more: object) -> Outcome:
        lines = ["    " + line for line in dedent(body).strip().splitlines()]
        test = "\n".join([IMPORTS, "def check(answer):", *lines])
        call = UnitTest(entry_point="answer", test=test, function="check", passes_candidate=True, **more)  # type: ignore[arg-type]
        return run_to_end(executor.run(Program("qiskit", IMPORTS + NUMBERS + dedent(source), call)))

    return tried


def is_refused(outcome: Outcome) -> bool:
    assert outcome.sealed == "stub"
    return outcome.status == "malformed" or bool(outcome.status == "returned" and outcome.value["test"] == "failed")


CLOSE = "assert np.allclose([1.0, 0.0], answer())"
SAME = "assert Operator([[0, 1], [1, 0]]) == answer()"
EQUIVALENT = "assert Operator([[0, 1], [1, 0]]).equiv(answer())"
NEAR = "assert abs(answer() - 4) < 0.1"
NO_FARTHER = "if abs(answer() - 4) > 0.1: raise AssertionError"


@pytest.mark.parametrize(
    ("returned", "body"),
    [
        ("Operator(np.full((2, 2), big))", SAME),
        ("np.full((2, 2), big)", EQUIVALENT),
        ("[[big, big], [big, big]]", EQUIVALENT),
        ("np.full(2, big)", CLOSE),
        ("[big, big]", CLOSE),
        ("(np.complex128(big), big)", CLOSE),
        ("np.full(2, 2.9e38 + 2.9e38j, np.complex64)", CLOSE),
        ("np.full(2, np.clongdouble(10) ** 4000 * (1 + 1j))", CLOSE),
        ("{'state': np.full(2, big)}", "assert np.allclose([1.0, 0.0], answer()['state'])"),
        ("Statevector(np.full(2, big))", "assert Statevector([1, 0]).equiv(answer())"),
        ("DensityMatrix(np.full((2, 2), big))", "assert DensityMatrix(np.diag([1, 0])) == answer()"),
        ("SparsePauliOp(['X', 'Z'], [big, big])", "assert np.allclose([1.0, 0.5], answer().coeffs)"),
        ("Choi(np.full((4, 4), big))", "assert np.allclose(np.eye(4), answer().data)"),
        ("ScalarOp(2, big)", "assert np.allclose([1.0], [answer().coeff])"),
        ("Kraus([np.full((2, 2), big)])", "assert np.allclose(np.eye(2), answer().data[0])"),
        ("nan", NO_FARTHER),
        ("complex(0, nan)", NO_FARTHER),
        ("np.float64(nan)", NO_FARTHER),
        ("decimal.Decimal('nan')", "if abs(float(answer()) - 4) > 0.1: raise AssertionError"),
        ("np.full(2, nan)", "if (abs(answer() - 4) > 0.1).any(): raise AssertionError"),
        ("inf", "assert answer() >= 4"),
        ("np.int8(-124)", NEAR),
        ("np.int64(4 - 2**63)", NEAR),
        ("np.full(3, 4 - 2**31, np.int32)", "assert (abs(answer() - 4) < 0.1).all()"),
    ],
)
def test_infinite_numbers_cannot_match_everything(tried: Tried, returned: str, body: str) -> None:
    assert is_refused(tried(f"def answer(): return {returned}", body))


@pytest.mark.parametrize(
    ("returned", "body"),
    [
        ("[2**1000, 1e149, 10.0**-300]", "assert answer() == [2**1000, 1e149, 10.0**-300]"),
        ("np.array([2**40, -2**40])", "assert (abs(answer()) == 2**40).all()"),
        ("np.array([1, 0], np.int8)", "assert answer().dtype == np.int8 and list(answer()) == [1, 0]"),
        ("np.full(2, 100, np.float16)", "assert answer().tolist() == [100, 100]"),
        ("np.empty((0, 2), complex)", "assert answer().shape == (0, 2)"),
    ],
)
def test_exact_and_large_numbers_are_sent(tried: Tried, returned: str, body: str) -> None:
    assert tried(f"def answer(): return {returned}", body).value == {"test": "passed"}


def test_values_of_the_test_may_be_infinite(tried: Tried) -> None:
    body = "assert answer([math.inf, np.array([math.nan, 1.7e308 + 1.7e308j]), 1e300]) == [True, True, True, True]"
    source = """
        def answer(given):
            return [given[0] == inf, bool(np.isnan(given[1][0])), given[1][1] == big, given[2] == 1e300]
    """
    assert tried(source, body).value == {"test": "passed"}


COUNTS = """
from qiskit_aer import AerSimulator
circuit = answer()
circuit.measure_all()
assert set(AerSimulator().run(circuit).result().get_counts()) == {"01", "10"}
"""
NAMES = """
assert set(answer().count_ops()) == {"x"}
assert Operator(answer()).equiv(Operator(HGate()))
"""
ANGLES = "if abs(np.abs(Operator(answer()).data[0, 0]) - 1) > 0.1: raise AssertionError"
HALF = "2**-0.5"
MATRIX = f"((0.0,) * 4, ({HALF}, 0.0, 0.0, 0.0), ({HALF}, 0.0, 0.0, 0.0), (0.0,) * 4)"


@pytest.mark.parametrize(
    ("operation", "body"),
    [
        (f"Instruction('diagonal', 2, 0, [0.0, {HALF}, {HALF}, 0.0])", "h"),
        (f"Gate('diagonal', 2, [0.0, {HALF}, {HALF}, 0.0])", "h"),
        (f"Instruction('set_statevector', 2, 0, [(0.0, {HALF}, {HALF}, 0.0)])", ""),
        (f"Instruction('initialize', 2, 0, [0.0, {HALF}, {HALF}, 0.0])", ""),
        (f"Instruction('unitary', 2, 0, [{MATRIX}])", ""),
        (f"Instruction('kraus', 2, 0, [{MATRIX}])", ""),
        ("Instruction('superop', 2, 0, [tuple((0.5,) * 16 for _ in range(16))])", ""),
        ("Instruction('x', 2, 0, [])", "h"),
    ],
)
@pytest.mark.parametrize("defined", [False, True])
def test_no_instruction_is_applied_by_its_name(tried: Tried, operation: str, body: str, defined: bool) -> None:
    source = f"""
        def answer():
            circuit = QuantumCircuit(2)
            if {body == "h"}:
                circuit.h([0, 1])
            operation = {operation}
            if {defined}:
                operation.definition = QuantumCircuit(2)
            circuit._append(operation, circuit.qubits, [])
            return circuit
    """
    assert not passes(tried(source, COUNTS))


def passes(outcome: Outcome) -> bool:
    assert outcome.sealed == "stub"
    return outcome.value == {"test": "passed"}


def test_a_circuit_of_library_instructions_is_counted(tried: Tried) -> None:
    source = """
        def answer():
            circuit = QuantumCircuit(2)
            circuit.h(0)
            circuit.cx(0, 1)
            circuit.x(0)
            return circuit
    """
    assert passes(tried(source, COUNTS))


RENAMED = """
def answer():
    inner = QuantumCircuit(1, name="x")
    inner.h(0)
    circuit = QuantumCircuit(1)
    circuit.append(inner.to_{kind}(), [0])
    return circuit
"""


@pytest.mark.parametrize("kind", ["gate", "instruction"])
def test_only_equal_gates_keep_the_name_of_a_library_gate(tried: Tried, kind: str) -> None:
    assert is_refused(tried(RENAMED.format(kind=kind), NAMES))
    right = RENAMED.format(kind=kind).replace("inner.h(0)", "inner.h(0); inner.z(0); inner.h(0)")
    assert passes(tried(right, NAMES.replace("HGate", "XGate")))


def test_a_controlled_gate_controls_its_base_gate(tried: Tried) -> None:
    source = """
        def answer():
            other = QuantumCircuit(2)
            other.ch(0, 1)
            circuit = QuantumCircuit(2)
            gate = ControlledGate("mine", 2, [], num_ctrl_qubits=1, definition=other, base_gate=ZGate())
            circuit.append(gate, [0, 1])
            return circuit
    """
    body = "assert Operator(answer().inverse()).equiv(Operator(ZGate().control()))"
    assert is_refused(tried(source, body))
    assert passes(tried(source, "assert Operator(answer()).equiv(Operator(HGate().control()))"))


@pytest.mark.parametrize("angle", ["nan", "-inf"])
@pytest.mark.parametrize("place", ["circuit.rx({}, 0)", "circuit.global_phase = {}", "circuit.append(inner({}), [0])"])
def test_no_angle_is_infinite(tried: Tried, angle: str, place: str) -> None:
    source = f"""
        def inner(angle):
            made = QuantumCircuit(1)
            made.u(angle, 0, 0, 0)
            return made.to_gate()

        def answer():
            circuit = QuantumCircuit(1)
            {place.format(angle)}
            return circuit
    """
    assert is_refused(tried(source, ANGLES))


EMPTIES = "def answer(given):\n    given.clear()\n    return given"
GIVEN = {
    "a circuit": (
        "def answer(given):\n    given.clear()\n    return QuantumCircuit(1)",
        "given = QuantumCircuit(1)\ngiven.h(0)\nassert Operator(answer(given)).equiv(Operator(given))",
    ),
    "a circuit that is returned": (
        EMPTIES,
        "given = QuantumCircuit(1)\ngiven.h(0)\nassert Operator(answer(given)).equiv(Operator(given))",
    ),
    "a dict": (EMPTIES, "given = {'0': 1.0}\nfound = answer(given)\nassert all(found[key] == 1.0 for key in given)"),
    "a list": (EMPTIES, "given = [1, 2]\nassert answer(given) == sorted(given)"),
    "an inner list": (
        "def answer(given):\n    given[0].clear()\n    return []",
        "given = [[1, 2]]\nassert answer(given) == given[0]",
    ),
    "an array": (
        "def answer(given):\n    given[...] = 0\n    return given",
        "given = np.ones(2)\nassert np.allclose(answer(given), 2 * given)",
    ),
    "a keyword": (EMPTIES, "given = [1, 2]\nassert answer(given=given) == given"),
}


@pytest.mark.parametrize("name", GIVEN)
def test_an_argument_unchanged_by_correct_answers_stays_unchanged(tried: Tried, name: str) -> None:
    source, body = GIVEN[name]
    assert is_refused(tried(source, body, changes=()))
    assert tried(source, body).value["test"] == "passed"  # with the published rule


def test_changing_and_returning_an_argument_counts(tried: Tried) -> None:
    source = "def answer(given, other):\n    given.append(3)\n    return given"
    body = "given = [1]\nfound = answer(given, given)\nassert found == [1, 3] and given == [1]"
    assert passes(tried(source, body, changes=()))


def test_only_the_arguments_that_the_reference_changes_are_changed(tried: Tried) -> None:
    source = "def answer(first, second, *, third):\n    for given in (first, second, third): given.append(0)"
    body = "lists = [1], [2], [3]\nanswer(*lists[:2], third=lists[2])\nassert lists == ([1], [2, 0], [3, 0])"
    assert passes(tried(source, body, changes=("1", "third")))


def test_a_pass_reports_changed_arguments_if_any_may_change(tried: Tried) -> None:
    source = "def answer(first, second, *, third):\n    second.append(0)\n    third.clear()"
    outcome = tried(source, "answer([1], [2], third=[3])")
    assert outcome.value == {"test": "passed", "changed": ["1", "third"]}
