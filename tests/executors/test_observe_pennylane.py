"""Observations of PennyLane programs, compared with literal probabilities."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import pennylane as qml
import pytest
import random_circuits
from hypothesis import given, settings
from observed_programs import approx, readers

from repair_bench.executors.guest.adapters.pennylane_adapter import observe

UNIFORM = {"00": 0.25, "01": 0.25, "10": 0.25, "11": 0.25}


def observed(candidate, what="distribution", qubits=None):
    return observe(candidate, what, qubits)


probabilities, amplitudes, matrix, problem = readers(observed)


def node(returned, shots=None, wires=2):
    """A QNode that prepares RX(pi/3) on wire 0, then copies it to wire 1: 00 with 3/4, 11 with 1/4."""

    @qml.qnode(qml.device("default.qubit", wires=wires), shots=shots)
    def circuit():
        qml.RX(pi / 3, wires=0)
        qml.CNOT(wires=[0, 1])
        return returned()

    return circuit


THREE_QUARTERS = {"00": 0.75, "11": 0.25}


# results of an executed QNode


@pytest.mark.parametrize("shots", [None, 10])
def test_probabilities_are_exact_with_and_without_shots(shots):
    seen = observed(node(lambda: qml.probs(wires=[0, 1]), shots))
    assert seen["probabilities"] == approx(THREE_QUARTERS)
    assert (seen["bits"], seen["shots"]) == (2, None)
    assert seen["gates"] == {"rx": 1, "cx": 1}


@pytest.mark.parametrize("returned", [qml.sample, qml.counts])
def test_unchanged_samples_and_counts_become_exact(returned):
    for wires, expected in ([0, 1], THREE_QUARTERS), ([1], {"0": 0.75, "1": 0.25}), (None, THREE_QUARTERS):
        seen = observed(lambda wires=wires: node(lambda: returned(wires=wires), 10)())
        assert seen["probabilities"] == approx(expected)
        assert seen["shots"] is None


def test_wires_are_printed_in_the_returned_order():
    def circuit():
        qml.PauliX(0)
        return qml.probs(wires=[1, 0])

    assert probabilities(qml.QNode(circuit, qml.device("default.qubit", wires=2))) == approx({"01": 1})


@pytest.mark.slow
@pytest.mark.parametrize("place", ["device", "qnode", "set_shots"])
def test_shots_may_be_set_in_any_place(place):
    def candidate():
        device = qml.device("default.qubit", wires=1, **({"shots": 5} if place == "device" else {}))

        def circuit():
            qml.Hadamard(0)
            return qml.sample(wires=0)

        if place == "qnode":
            return qml.QNode(circuit, device, shots=5)()
        plain = qml.QNode(circuit, device)
        return qml.set_shots(plain, 5)() if place == "set_shots" else plain()

    with pytest.warns(qml.exceptions.PennyLaneDeprecationWarning) if place == "device" else _quiet():
        seen = observed(candidate)
    assert (seen["probabilities"], seen["shots"]) == (approx({"0": 0.5, "1": 0.5}), None)


def test_samples_of_an_observable_are_bits():
    assert probabilities(node(lambda: qml.sample(qml.PauliZ(1)), 5)) == approx({"0": 0.75, "1": 0.25})
    assert probabilities(node(lambda: qml.counts(qml.PauliX(0)), 5)) == approx({"0": 0.5, "1": 0.5})
    parity = lambda: qml.sample(qml.PauliZ(0) @ qml.PauliZ(1))  # noqa: E731
    assert probabilities(node(parity, 5)) == approx({"0": 1})
    assert probabilities(node(lambda: qml.probs(op=qml.PauliX(1)), 5)) == approx({"0": 0.5, "1": 0.5})


def test_a_tuple_of_samples_is_joint():
    returned = lambda: (qml.sample(wires=1), qml.sample(qml.PauliZ(0)))  # noqa: E731
    assert probabilities(node(returned, 5)) == approx(THREE_QUARTERS)
    assert probabilities(lambda: list(node(returned, 5)())) == approx(THREE_QUARTERS)
    assert probabilities(lambda: node(returned, 5)()[0]) == approx({"0": 0.75, "1": 0.25})


def test_samples_in_two_bases_of_one_wire_are_not_joint():
    returned = lambda: (qml.sample(wires=0), qml.sample(qml.PauliX(0)))  # noqa: E731
    assert "cannot be measured together" in problem(node(returned, 5))
    commuting = lambda: (qml.sample(qml.PauliZ(0)), qml.sample(qml.PauliZ(0) @ qml.PauliZ(1)))  # noqa: E731
    assert probabilities(node(commuting, 5)) == approx({"00": 0.75, "10": 0.25})


def test_one_distribution_among_other_results_is_the_answer():
    returned = lambda: (qml.probs(wires=[0, 1]), qml.expval(qml.PauliZ(0)))  # noqa: E731
    assert probabilities(node(returned)) == approx(THREE_QUARTERS)


def test_transforms_of_a_qnode_are_applied():
    def candidate():
        circuit = node(lambda: qml.sample(wires=[0, 1]), 5)
        return qml.transforms.cancel_inverses(circuit)()

    assert probabilities(candidate) == approx(THREE_QUARTERS)


def test_a_state_is_a_distribution_over_all_wires():
    assert probabilities(node(qml.state)) == approx(THREE_QUARTERS)


def test_channels_are_exact():
    @qml.qnode(qml.device("default.mixed", wires=1), shots=5)
    def circuit():
        qml.BitFlip(0.25, wires=0)
        return qml.sample(wires=0)

    assert probabilities(circuit) == approx({"0": 0.75, "1": 0.25})


# values computed from results


def test_processed_samples_of_any_shape_keep_their_shots():
    rows = node(lambda: qml.sample(wires=[0, 1]), 6)
    for candidate in (lambda: rows().tolist(), lambda: np.array(rows()), lambda: rows().T + 0):
        seen = observed(candidate)
        assert (seen["bits"], seen["shots"]) == (2, 6)
        assert set(seen["probabilities"]) <= {"00", "11"}
    pairs = node(lambda: (qml.sample(wires=0), qml.sample(wires=1)), 6)
    assert observed(lambda: [column + 0 for column in pairs()])["bits"] == 2
    assert observed(lambda: rows()[:, 0] + 0)["shots"] == 6


def test_a_result_changed_in_place_is_not_the_exact_one():
    def candidate():
        counts = node(lambda: qml.counts(wires=[0, 1]), 50)()
        counts["01"] = counts.pop("00")
        return counts

    seen = observed(candidate)
    assert seen["shots"] == 50
    assert "00" not in seen["probabilities"]


def test_processed_counts_keep_their_shots():
    seen = observed(lambda: {str(k): int(v) for k, v in node(lambda: qml.counts(wires=[0, 1]), 8)().items()})
    assert seen["shots"] == 8
    assert seen["gates"] == {"rx": 1, "cx": 1}


def test_processed_probabilities_are_exact_without_shots():
    probs = lambda shots: node(lambda: qml.probs(wires=[0, 1]), shots)  # noqa: E731
    seen = observed(lambda: [float(p) for p in probs(None)()])
    assert (seen["probabilities"], seen["shots"]) == (approx(THREE_QUARTERS), None)
    assert observed(lambda: probs(10)().tolist())["shots"] == 10


def test_samples_of_eigenvalues_are_bits():
    assert observed(lambda: np.array([1.0, 1.0, -1.0, 1.0]))["probabilities"] == {"0": 0.75, "1": 0.25}
    assert observed(lambda: {1.0: 30, -1.0: 10})["probabilities"] == {"0": 0.75, "1": 0.25}


# circuits that were not executed


def test_a_qnode_itself_is_read_exactly():
    for returned in (lambda: qml.probs(wires=[0, 1]), lambda: qml.counts(wires=[0, 1]), qml.state):
        assert probabilities(lambda returned=returned: node(returned)) == approx(THREE_QUARTERS)
    assert probabilities(lambda: (node(qml.sample, 5), "circuit")) == approx(THREE_QUARTERS)


def test_a_quantum_function_is_called_again_for_its_gates():
    def candidate():
        qml.RX(pi / 3, wires=0)
        qml.CNOT(wires=[0, 1])
        return qml.probs(wires=[1])

    assert probabilities(candidate) == approx({"0": 0.75, "1": 0.25})

    def gates_only():
        qml.RX(pi / 3, wires=0)
        qml.CNOT(wires=[0, 1])

    assert probabilities(gates_only) == approx(THREE_QUARTERS)
    assert probabilities(lambda: gates_only) == approx(THREE_QUARTERS)
    assert probabilities(qml.tape.make_qscript(gates_only)) == approx(THREE_QUARTERS)


# mid-circuit measurements


def repeated():
    qml.Hadamard(0)
    first = qml.measure(0)
    qml.Hadamard(0)
    return first, qml.measure(0)


@pytest.mark.parametrize("shots", [None, 5])
def test_a_second_measurement_after_a_second_hadamard_is_uniform(shots):
    def together():
        return qml.probs(op=list(repeated()))

    def apart():
        return [qml.sample(m) for m in repeated()]

    for function in (together, apart):
        circuit = qml.QNode(function, qml.device("default.qubit", wires=1), shots=shots)
        assert probabilities(lambda circuit=circuit: circuit) == approx(UNIFORM)
        assert probabilities(function) == approx(UNIFORM)
        if shots:
            seen = observed(circuit)
            assert (seen["probabilities"], seen["shots"]) == (approx(UNIFORM), None)


def test_teleportation():
    @qml.qnode(qml.device("default.qubit", wires=3))
    def circuit():
        qml.RX(pi / 3, wires=0)
        qml.Hadamard(1)
        qml.CNOT([1, 2])
        qml.CNOT([0, 1])
        qml.Hadamard(0)
        z, x = qml.measure(0), qml.measure(1)
        qml.cond(x, qml.PauliX)(2)
        qml.cond(z, qml.PauliZ)(2)
        return qml.probs(wires=2)

    for candidate in (lambda: circuit, circuit):
        seen = observed(candidate)
        assert seen["probabilities"] == approx({"0": 0.75, "1": 0.25})
        assert seen["gates"] == {"rx": 1, "h": 2, "cx": 2, "measure": 2, "x": 1, "z": 1}


def test_measure_and_reset():
    def candidate():
        qml.Hadamard(0)
        m = qml.measure(0, reset=True)
        return qml.sample(m), qml.sample(wires=0)

    assert probabilities(candidate) == approx({"00": 0.5, "10": 0.5})
    assert observed(candidate)["gates"] == {"h": 1, "measure": 1, "reset": 1}


def test_postselection_renormalises():
    def candidate():
        qml.RX(pi / 3, wires=0)
        qml.CNOT([0, 1])
        qml.Hadamard(0)
        qml.measure(0, postselect=1)
        return qml.probs(wires=[0, 1])

    assert probabilities(candidate) == approx({"10": 0.75, "11": 0.25})

    def impossible():
        qml.measure(0, postselect=1)
        return qml.probs(wires=0)

    assert "probability 0" in problem(impossible)


def test_values_computed_from_measurements():
    def candidate():
        a, b = repeated()
        qml.cond(a & b, qml.PauliX)(1)
        qml.cond(a + b > 1, qml.PauliX, qml.Hadamard)(2)
        return qml.sample(a ^ b), qml.sample(wires=1), qml.sample(wires=2)

    assert probabilities(candidate) == approx({"011": 0.25, "000": 0.125, "001": 0.125, "100": 0.25, "101": 0.25})


def test_results_equal_those_of_pennylane_without_shots():
    def circuit():
        a, b = repeated()
        qml.RY(0.7, wires=1)
        qml.cond(a & ~b, qml.RX)(1.1, wires=1)
        c = qml.measure(1)
        return qml.probs(op=[c, a, b])

    reference = qml.QNode(circuit, qml.device("default.qubit"))()
    seen = probabilities(circuit)
    assert [seen.get(format(i, "03b"), 0) for i in range(8)] == pytest.approx(list(reference))


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(random_circuits.circuits)
def test_any_circuit_agrees_with_density_matrices(steps):
    expected = {"".join(map(str, key)): p for key, p in random_circuits.distribution(steps).items()}
    assert probabilities(random_circuits.in_pennylane(steps)) == approx(expected)


# states and unitaries


def test_a_state_is_in_the_order_of_the_device():
    def circuit():
        qml.PauliX("b")
        qml.Hadamard("a")
        return qml.state()

    device = qml.device("default.qubit", wires=["b", "a"])
    for candidate in (lambda: qml.QNode(circuit, device), qml.QNode(circuit, device)):
        assert amplitudes(candidate) == approx([0, 0, sqrt(0.5), sqrt(0.5)])


def test_a_quantum_function_has_a_state():
    def candidate():
        qml.PauliX(1)

    assert amplitudes(candidate, 2) == approx([0, 1, 0, 0])
    assert problem(lambda: node(lambda: qml.probs(wires=0)), "state") == (
        "the circuit returns probabilities; its state was expected"
    )
    listed = node(lambda: qml.probs(wires=[0, 1]))
    assert problem(lambda: listed().tolist(), "state").endswith("these look like probabilities")


def test_a_unitary_acts_on_all_wires_in_order():
    def candidate():
        qml.CNOT([1, 0])

    expected = np.array([[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0]])
    assert matrix(candidate, 2) == pytest.approx(expected)
    assert matrix(candidate, 3) == pytest.approx(np.kron(expected, np.eye(2)))
    assert matrix(lambda: None, 1) == pytest.approx(np.eye(2))
    assert problem(candidate, "unitary", 1) == "the circuit has 2 qubits; 1 qubit was expected"


def test_the_unitary_of_a_qnode_or_of_the_state_it_returned():
    expected = qml.matrix(qml.CNOT([0, 1])) @ np.kron(qml.matrix(qml.RX(pi / 3, 0)), np.eye(2))
    for candidate in (lambda: node(qml.state), node(qml.state), lambda: expected):
        assert matrix(candidate, 2) == pytest.approx(expected)


def test_wires_of_the_device_without_a_gate_count():
    assert len(amplitudes(node(qml.state, wires=3))) == 8
    assert problem(node(qml.state, wires=3), "state", 2) == "the circuit has 3 qubits; 2 qubits were expected"


def test_a_matrix_that_is_not_unitary_is_refused():
    def candidate():
        qml.QubitUnitary(np.array([[0.6, 0], [0.8, 0]]), wires=0)
        return qml.probs(wires=0)

    assert problem(candidate) == "the circuit applies a matrix that is not unitary"


def test_prepared_states_are_not_unitary():
    def candidate():
        qml.StatePrep(np.array([0.6, 0.8]), wires=0)

    assert amplitudes(candidate) == approx([0.6, 0.8])
    assert "not unitary" in problem(candidate, "unitary", 1)


# gates


def test_a_power_of_minus_one_is_the_inverse():
    def candidate():
        for gate in (qml.S, qml.T, qml.SX, qml.PauliX, qml.CNOT):
            wires = [0, 1][: gate.num_wires]
            qml.pow(gate(wires), -1)
            gate(wires) ** 1
        qml.RX(0.1, wires=0) ** -1
        qml.adjoint(qml.PhaseShift(0.2, wires=0) ** -1)
        qml.RZ(0.3, wires=0) ** 1
        qml.ctrl(qml.S(0) ** -1, 1)

    listed = [(name, angle) for name, _, angle in observed(candidate, "circuit")["operations"]]
    assert listed[:6] == [("sdg", None), ("s", None), ("tdg", None), ("t", None), ("sxdg", None), ("sx", None)]
    assert listed[6:10] == [("x", None), ("x", None), ("cx", None), ("cx", None)]
    assert listed[10:] == [("rx", -0.1), ("p", 0.2), ("rz", 0.3), ("csdg", None)]


def test_gates_have_the_common_names():
    def candidate():
        for gate in (qml.PauliX, qml.PauliY, qml.PauliZ, qml.Hadamard, qml.S, qml.T, qml.SX, qml.Identity):
            gate(0)
        for gate in (qml.S, qml.T, qml.SX, qml.PauliX):
            qml.adjoint(gate)(0)
        for gate in (qml.RX, qml.RY, qml.RZ, qml.PhaseShift):
            gate(0.1, wires=0)
        for gate in (qml.CNOT, qml.CY, qml.CZ, qml.CH, qml.SWAP):
            gate([0, 1])
        qml.Toffoli([0, 1, 2])
        qml.CSWAP([0, 1, 2])
        qml.ctrl(qml.Hadamard(0), 1)
        qml.ctrl(qml.PauliX(0), [1, 2])
        qml.ctrl(qml.PauliX(0), 1, control_values=[0])
        qml.U3(0.1, 0.2, 0.3, wires=0)
        qml.QubitUnitary(np.eye(2), wires=0)
        qml.adjoint(qml.RX(0.1, wires=0))
        qml.prod(qml.PauliZ(0), qml.PauliZ(1))
        qml.Barrier([0])
        qml.GlobalPhase(0.1)

    ones = [
        "y",
        "h",
        "s",
        "t",
        "sx",
        "sdg",
        "tdg",
        "sxdg",
        "ry",
        "rz",
        "p",
        "cy",
        "cz",
        "swap",
        "cswap",
        "u",
        "unitary",
    ]
    assert observed(candidate)["gates"] == {
        **dict.fromkeys(ones, 1),
        "x": 4,
        "z": 3,
        "rx": 2,
        "cx": 2,
        "ch": 2,
        "ccx": 2,
    }


def test_custom_gates_are_decomposed():
    class Pair(qml.operation.Operation):
        num_wires = 2

        @staticmethod
        def compute_decomposition(wires):
            return [qml.Hadamard(wires[0]), qml.CNOT(wires)]

    def candidate():
        Pair(wires=[0, 1])
        return qml.probs(wires=[0, 1])

    seen = observed(candidate)
    assert seen["gates"] == {"h": 1, "cx": 1}
    assert seen["probabilities"] == approx({"00": 0.5, "11": 0.5})


# unreadable values


def test_unreadable_values_are_explained_in_one_sentence():
    assert problem(lambda: None) == "returned None and applied no gate; the result of the circuit was expected"
    assert problem(lambda: 7) == "returned an int; a distribution over measurement outcomes was expected"
    assert "an expectation value" in problem(node(lambda: qml.expval(qml.PauliZ(0))))
    assert "2 separate results" in problem(node(lambda: (qml.probs(wires=0), qml.probs(wires=1))))
    assert "do not represent bits" in problem(node(lambda: qml.sample(2 * qml.PauliZ(0)), 5))

    def forgot():
        node(lambda: qml.probs(wires=0))()

    assert problem(forgot) == "returned None; the result of the circuit was expected"

    def waits(theta):
        qml.RX(theta, wires=0)
        return qml.probs(wires=0)

    device = qml.device("default.qubit", wires=1)
    assert "still takes arguments (theta)" in problem(lambda: qml.QNode(waits, device))
    assert "a batch of parameters" in problem(lambda: qml.QNode(waits, device)(np.array([0.1, 0.2])))


def test_a_raised_exception_restores_qnodes():
    before = qml.QNode.__call__

    def candidate():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        observe(candidate, "distribution")
    assert qml.QNode.__call__ is before


def _quiet():
    from contextlib import nullcontext

    return nullcontext()
