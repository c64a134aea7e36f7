"""The operations of a returned circuit, in the vocabulary that all frameworks share."""

from typing import Any

import pytest

from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Call, Instances, Limits, Program
from repair_bench.traces.record.records import Outcome

QISKIT = """
from qiskit import QuantumCircuit

def solve(*given):
    part = QuantumCircuit(2, name="part")
    part.cx(1, 0)
    circuit = QuantumCircuit(3)
    circuit.cx(0, 1)
    circuit.rz(0.5, 1)
    circuit.p(-0.25, 0)
    circuit.tdg(2)
    circuit.append(part.to_gate(), [2, 0])
    circuit.barrier()
    return circuit
"""
PENNYLANE = """
import pennylane as qml

def solve(*given):
    turn = qml.adjoint(qml.RZ(-0.5, wires=1), lazy=True)
    steps = [qml.CNOT([0, 1]), turn, qml.PhaseShift(-0.25, 0), qml.adjoint(qml.T(2)), qml.CNOT([0, 2])]
    return qml.tape.QuantumScript(steps)
"""
CIRQ = """
import cirq, math

def solve(*given):
    a, b, c = cirq.LineQubit.range(3)
    phase = cirq.ZPowGate(exponent=-0.25 / math.pi)
    steps = [cirq.CNOT(a, b), cirq.rz(0.5)(b), phase(a), (cirq.T**-1)(c), cirq.CNOT(a, c)]
    return cirq.Circuit(cirq.Moment(step) for step in steps)
"""
EXPECTED = [["cx", [0, 1], None], ["rz", [1], 0.5], ["p", [0], -0.25], ["tdg", [2], None], ["cx", [0, 2], None]]


def run(executor: LocalExecutor, framework: str, source: str, call: Call | Instances, seconds: float = 30) -> Outcome:
    return run_to_end(executor.run(Program(framework, source, call, limits=Limits(cpu_seconds=seconds))))


def rounded(operations: list[Any]) -> list[Any]:
    return [[name, on, None if angle is None else round(angle, 9)] for name, on, angle in operations]


@pytest.mark.slow
@pytest.mark.parametrize(("framework", "source"), [("qiskit", QISKIT), ("pennylane", PENNYLANE), ("cirq", CIRQ)])
def test_each_framework_lists_the_same_operations(executor: LocalExecutor, framework: str, source: str) -> None:
    outcome = run(executor, framework, source, Call("solve", "circuit", qubits=3))
    (seen,) = outcome.value["cases"]
    assert (seen["kind"], seen["qubits"]) == ("circuit", 3)
    expected = EXPECTED if framework != "qiskit" else [*EXPECTED[:-1], ["cx", [0, 2], None]]
    assert rounded(seen["operations"]) == expected


CONTROLLED = {
    "cirq": "import cirq\n\ndef solve():\n    a, b, c = cirq.LineQubit.range(3)\n"
    "    return cirq.Circuit(cirq.Z(c).controlled_by(a, b, control_values=[0, 1]))\n",
    "pennylane": "import pennylane as qml\n\ndef solve():\n"
    "    return qml.tape.QuantumScript([qml.ctrl(qml.PauliZ(2), [0, 1], control_values=[0, 1])])\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("framework", sorted(CONTROLLED))
def test_an_open_control_is_listed_with_two_x_gates(executor: LocalExecutor, framework: str) -> None:
    outcome = run(executor, framework, CONTROLLED[framework], Call("solve", "circuit", qubits=3))
    listed = outcome.value["cases"][0]["operations"]
    assert listed == [["x", [0], None], ["ccz", [0, 1, 2], None], ["x", [0], None]]


def test_an_array_is_not_a_circuit(executor: LocalExecutor) -> None:
    source = "import numpy as np\n\ndef solve():\n    return np.eye(8)\n"
    (seen,) = run(executor, "qiskit", source, Call("solve", "circuit", qubits=3)).value["cases"]
    assert seen["problem"] == "returned a ndarray; a circuit was expected"


COUNTING = """
from qiskit import QuantumCircuit

calls = []

def solve(instance):
    calls.append(instance)
    print(instance)
    if instance["number"] == 1:
        raise ValueError(len(calls))
    circuit = QuantumCircuit(2)
    for _ in calls:
        circuit.cx(0, 1)
    return circuit
"""


def test_each_instance_runs_in_a_new_process(executor: LocalExecutor) -> None:
    call = Instances("solve", tuple({"number": number} for number in range(3)), 2, 2)
    outcome = run(executor, "qiskit", COUNTING, call)
    first, second, third = outcome.value["cases"]
    assert len(first["operations"]) == len(third["operations"]) == 1
    assert (second["kind"], second["status"], second["exception"]["message"]) == ("failed", "exception", "1")
    assert all(0 < case["cpu"] < 1 for case in (first, second, third))
    assert outcome.stdout == "{'number': 0}\n", "hidden instances are not part of the output"


def test_hidden_instances_are_skipped_if_no_visible_one_returns(executor: LocalExecutor) -> None:
    call = Instances("solve", ({"number": 1}, {"number": 0}), 2, 1)
    _, hidden = run(executor, "qiskit", COUNTING, call).value["cases"]
    assert hidden == {"kind": "failed", "status": "skipped", "exception": None, "cpu": None}


@pytest.mark.slow
def test_a_call_is_stopped_at_twice_the_limit(executor: LocalExecutor) -> None:
    source = "def solve(instance):\n    while instance['number']:\n        pass\n"
    call = Instances("solve", ({"number": 1}, {"number": 0}), 2, 2)
    stopped, other = run(executor, "qiskit", source, call, seconds=0.3).value["cases"]
    assert (stopped["kind"], stopped["status"]) == ("failed", "cpu_timeout")
    assert stopped["cpu"] > 0.3
    assert other["kind"] == "other"
