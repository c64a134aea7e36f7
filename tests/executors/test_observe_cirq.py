"""Observations of Cirq circuits, compared with literal probabilities."""

from __future__ import annotations

from collections import Counter
from math import pi, sqrt

import cirq
import numpy as np
import pytest
import random_circuits
import sympy
from hypothesis import given, settings
from observed_programs import approx, readers

from repair_bench.executors.guest.adapters.cirq_adapter import observe

A, B, C = cirq.LineQubit.range(3)


def observed(value, what="distribution", qubits=None):
    return observe(lambda: value, what, qubits)


def seen_of(*operations):
    seen = observed(cirq.Circuit(operations))
    assert seen["kind"] == "distribution", seen
    return seen


def probabilities(*operations):
    return seen_of(*operations)["probabilities"]


_, amplitudes, matrix, problem = readers(observed)


# measurements


def test_the_first_qubit_is_printed_first_for_any_key():
    assert probabilities(cirq.X(A), cirq.measure(A, B, C, key="anything")) == approx({"100": 1})
    assert probabilities(cirq.X(A), cirq.measure(C, B, A)) == approx({"001": 1})


def test_several_keys_are_in_order_of_appearance():
    seen = seen_of(cirq.X(A), cirq.measure(B, key="z"), cirq.X(B), cirq.H(C), cirq.measure(A, C, key="a"))
    assert seen["probabilities"] == approx({"010": 0.5, "011": 0.5})
    assert seen["registers"] == [["z", 1], ["a", 2]]
    assert seen["shots"] is None


def test_final_measurements_are_in_the_order_of_their_qubits():
    circuit = cirq.Circuit(cirq.H(A), cirq.X(A), cirq.X(B))
    circuit.append(cirq.measure(qubit, key=f"q{i}") for i, qubit in enumerate((A, B, C)))
    moments = [str(key) for moment in circuit for key in sorted(cirq.measurement_key_names(moment))]
    assert moments == ["q2", "q1", "q0"]
    seen = observed(circuit)
    assert seen["probabilities"] == approx({"010": 0.5, "110": 0.5})
    assert seen["registers"] == [["q0", 1], ["q1", 1], ["q2", 1]]


def test_the_records_of_a_repeated_key_stay_in_order():
    seen = seen_of([cirq.H(A), cirq.measure(A, key="m"), cirq.CNOT(A, B), cirq.measure(B, key="other")] * 2)
    assert seen["probabilities"] == approx({"0000": 0.25, "0101": 0.25, "1011": 0.25, "1110": 0.25})
    assert seen["registers"] == [["m", 1], ["m", 1], ["other", 1], ["other", 1]]


def test_a_measurement_may_be_inverted():
    assert probabilities(cirq.H(A), cirq.measure(A, B, key="m", invert_mask=(False, True))) == approx(
        {"01": 0.5, "11": 0.5}
    )


def test_a_second_measurement_after_a_second_hadamard_is_uniform():
    seen = probabilities(cirq.H(A), cirq.measure(A, key="x"), cirq.H(A), cirq.measure(A, key="y"))
    assert seen == approx({"00": 0.25, "01": 0.25, "10": 0.25, "11": 0.25})


def test_all_qubits_are_measured_in_order_without_measurements():
    zed, alpha = cirq.NamedQubit("zed"), cirq.NamedQubit("alpha")
    assert probabilities(cirq.X(zed), cirq.I(alpha)) == approx({"01": 1})
    near, far = cirq.GridQubit(0, 1), cirq.GridQubit(1, 0)
    assert probabilities(cirq.X(far), cirq.H(near)) == approx({"01": 0.5, "11": 0.5})


def test_reset_forgets_a_qubit():
    seen = probabilities(cirq.H(A), cirq.CNOT(A, B), cirq.R(A), cirq.H(B), cirq.measure(A, B))
    assert seen == approx({"00": 0.5, "01": 0.5})


def test_a_pauli_observable_is_measured():
    seen = probabilities(cirq.H(A), cirq.CNOT(A, B), cirq.measure_single_paulistring(cirq.X(A) * cirq.X(B), key="xx"))
    assert seen == approx({"0": 1})


def test_channels_are_exact():
    assert probabilities(cirq.bit_flip(0.25)(A), cirq.measure(A)) == approx({"0": 0.75, "1": 0.25})
    assert probabilities(cirq.X(A), cirq.amplitude_damp(0.3)(A), cirq.measure(A)) == approx({"0": 0.3, "1": 0.7})


# classical control


def test_teleportation_with_classical_controls():
    seen = probabilities(
        cirq.rx(pi / 3)(A),
        cirq.H(B),
        cirq.CNOT(B, C),
        cirq.CNOT(A, B),
        cirq.H(A),
        cirq.measure(A, key="z"),
        cirq.measure(B, key="x"),
        cirq.X(C).with_classical_controls("x"),
        cirq.Z(C).with_classical_controls("z"),
        cirq.measure(C, key="result"),
    )
    assert sum(p for key, p in seen.items() if key[-1] == "1") == approx(0.25)


def test_conditions_on_several_keys_and_with_sympy():
    prepare = [cirq.H(A), cirq.H(B), cirq.measure(A, key="a"), cirq.measure(B, key="b")]
    both = cirq.X(C).with_classical_controls("a", "b")
    assert probabilities(prepare, both, cirq.measure(C, key="c")) == approx(
        {"000": 0.25, "010": 0.25, "100": 0.25, "111": 0.25}
    )
    a, b = sympy.symbols("a b")
    differ = cirq.X(C).with_classical_controls(sympy.Ne(a, b))
    assert probabilities(prepare, differ, cirq.measure(C, key="c")) == approx(
        {"000": 0.25, "011": 0.25, "101": 0.25, "110": 0.25}
    )


def test_a_control_reads_the_last_record_of_a_repeated_key():
    seen = probabilities(
        cirq.X(A),
        cirq.measure(A, key="m"),
        cirq.X(A),
        cirq.measure(A, key="m"),
        cirq.X(B).with_classical_controls("m"),
        cirq.measure(B, key="b"),
    )
    assert seen == approx({"100": 1})


def test_iterative_phase_estimation_of_s():
    """The phase of S on |1> is 0.01 in binary: the last bit is measured first, under one key."""
    rounds = cirq.Circuit(cirq.X(B))
    rounds.append([cirq.H(A), cirq.CZ(A, B) ** (2 * 0.5), cirq.H(A), cirq.measure(A, key="m"), cirq.R(A)])
    rounds.append([cirq.H(A), cirq.CZ(A, B) ** 0.5, (cirq.S**-1)(A).with_classical_controls("m"), cirq.H(A)])
    rounds.append(cirq.measure(A, key="m"))
    assert observed(rounds)["probabilities"] == approx({"10": 1})


def test_subcircuits_are_decomposed():
    inner = cirq.FrozenCircuit(cirq.H(A), cirq.measure(A, key="m"))
    seen = seen_of(cirq.CircuitOperation(inner).repeat(2), cirq.measure(B, key="b"))
    assert len(seen["probabilities"]) == 4
    assert [bits for _, bits in seen["registers"]] == [1, 1, 1]
    moved = cirq.CircuitOperation(cirq.FrozenCircuit(cirq.X(A))).with_qubits(B)
    assert probabilities(moved, cirq.measure(A, B)) == approx({"01": 1})


def test_a_subcircuit_repeated_until_a_condition_holds():
    once = cirq.FrozenCircuit(cirq.X(A), cirq.measure(A, key="m"))
    until = cirq.CircuitOperation(
        once, use_repetition_ids=False, repeat_until=cirq.KeyCondition(cirq.MeasurementKey("m"))
    )
    assert probabilities(until) == approx({"1": 1})
    luck = cirq.FrozenCircuit(cirq.H(A), cirq.measure(A, key="m"))
    until = cirq.CircuitOperation(
        luck, use_repetition_ids=False, repeat_until=cirq.KeyCondition(cirq.MeasurementKey("m"))
    )
    assert "not measured the same number of times" in problem(cirq.Circuit(until))


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(random_circuits.circuits)
def test_any_circuit_agrees_with_density_matrices(steps):
    seen = observed(random_circuits.in_cirq(steps))
    final: dict[str, float] = {}
    names = [name for name, _ in seen["registers"]]
    for key, p in seen["probabilities"].items():
        bits = "".join(key[names.index(str(bit))] for bit in range(random_circuits.BITS))
        final[bits] = final.get(bits, 0.0) + p
    expected = {"".join(map(str, key)): p for key, p in random_circuits.distribution(steps).items()}
    assert final == approx(expected)


# states and unitaries


def test_a_state_has_the_first_qubit_as_its_first_index():
    assert amplitudes(cirq.Circuit(cirq.X(A), cirq.H(B))) == approx([0, 0, sqrt(0.5), sqrt(0.5)])


def test_idle_line_qubits_count_if_a_size_is_requested():
    circuit = cirq.Circuit(cirq.X(B))
    assert amplitudes(circuit, 3) == approx([0, 0, 1, 0, 0, 0, 0, 0])
    assert amplitudes(circuit) == approx([0, 1])
    x_on_b = np.kron(np.eye(2), np.array([[0, 1], [1, 0]]))
    assert matrix(circuit, 2) == pytest.approx(x_on_b)
    assert matrix(cirq.Circuit(), 1) == pytest.approx(np.eye(2))


def test_other_qubits_are_accepted_in_the_same_number():
    circuit = cirq.Circuit(cirq.CNOT(cirq.NamedQubit("a"), cirq.NamedQubit("b")))
    assert matrix(circuit, 2) == pytest.approx(np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]))


def test_another_number_of_qubits_is_a_shape_mismatch():
    seen = observed(cirq.Circuit(cirq.CCX(A, B, C)), "unitary", 2)
    assert (seen["mismatch"], seen["problem"]) == ("shape", "the circuit has 3 qubits; 2 qubits were expected")


def test_unitaries_have_double_precision():
    circuit = cirq.Circuit([cirq.rx(0.1)(A), cirq.CNOT(A, B)] * 50)
    product = matrix(circuit, 2)
    assert np.abs(product.conj().T @ product - np.eye(4)).max() < 1e-12


def test_a_state_ignores_final_measurements_only():
    assert amplitudes(cirq.Circuit(cirq.X(A), cirq.measure(A))) == approx([0, 1])
    early = cirq.Circuit(cirq.H(A), cirq.measure(A), cirq.H(A))
    assert problem(early, "state") == "the circuit measures qubits before its end; a state was expected"
    assert "channel" in problem(cirq.Circuit(cirq.depolarize(0.1)(A)), "state")


# gates


def test_gates_have_the_common_names():
    circuit = cirq.Circuit(
        [cirq.X(A), cirq.Y(A), cirq.Z(A), cirq.H(A), cirq.I(A)],
        [cirq.Z(A) ** 0.5, cirq.S(A) ** -1, cirq.Z(A) ** 0.25, cirq.T(A) ** -1, cirq.Z(A) ** 0.3],
        [cirq.X(A) ** 0.5, cirq.X(A) ** -0.5, cirq.rx(0.1)(A), cirq.ry(0.1)(A), cirq.rz(0.1)(A)],
        [cirq.CNOT(A, B), cirq.CZ(A, B), cirq.SWAP(A, B), cirq.CCX(A, B, C), cirq.CSWAP(A, B, C)],
        [cirq.H(A).controlled_by(B), cirq.Y(A).controlled_by(B), cirq.X(A).controlled_by(B, control_values=[0])],
        [cirq.MatrixGate(np.eye(2))(A), cirq.CZ(A, B) ** 0.5, cirq.R(C)],
        [cirq.X(B).with_tags("tagged"), cirq.global_phase_operation(1j), cirq.measure(A, B, key="m")],
        cirq.Z(C).with_classical_controls("m"),
    )
    ones = [
        "h",
        "y",
        "sdg",
        "t",
        "tdg",
        "p",
        "sx",
        "sxdg",
        "rx",
        "ry",
        "rz",
        "cz",
        "swap",
        "ccx",
        "cswap",
        "ch",
        "cy",
        "unitary",
        "cp",
        "s",
        "reset",
    ]
    assert observed(circuit)["gates"] == {**dict.fromkeys(ones, 1), "x": 4, "cx": 2, "z": 2, "measure": 2}


def test_custom_gates_and_repeated_subcircuits_are_decomposed():
    class Pair(cirq.Gate):
        def _num_qubits_(self):
            return 2

        def _decompose_(self, qubits):
            return [cirq.H(qubits[0]), cirq.CNOT(*qubits)]

    class Bare(cirq.Gate):
        def _num_qubits_(self):
            return 1

        def _unitary_(self):
            return np.array([[0, 1], [1, 0]])

    loop = cirq.CircuitOperation(cirq.FrozenCircuit(cirq.T(A)), repetitions=3)
    seen = seen_of(Pair()(A, B), Bare()(B), loop)
    assert seen["gates"] == {"h": 1, "cx": 1, "unitary": 1, "t": 3}
    assert seen["probabilities"] == approx({"01": 0.5, "10": 0.5})


# other return values


def test_samples_carry_their_shots():
    circuit = cirq.Circuit(cirq.X(A), cirq.measure(A, B, key="ab"), cirq.measure(C, key="c"), cirq.measure(A, key="c"))
    seen = observed(cirq.Simulator(seed=1).run(circuit, repetitions=7))
    assert (seen["probabilities"], seen["shots"]) == ({"1001": 1}, 7), seen
    assert seen["registers"] == [["ab", 2], ["c", 1], ["c", 1]]


def test_simulated_states_are_read():
    result = cirq.Simulator().simulate(cirq.Circuit(cirq.H(A), cirq.CNOT(A, B)))
    assert observed(result)["probabilities"] == pytest.approx({"00": 0.5, "11": 0.5}, abs=1e-6)
    assert amplitudes(result) == pytest.approx([sqrt(0.5), 0, 0, sqrt(0.5)], abs=1e-6)
    mixed = cirq.DensityMatrixSimulator().simulate(cirq.Circuit(cirq.bit_flip(0.25)(A)))
    assert observed(mixed)["probabilities"] == pytest.approx({"0": 0.75, "1": 0.25}, abs=1e-6)
    assert problem(mixed, "state").startswith("returned a DensityMatrixTrialResult")


def test_frozen_circuits_operations_gates_and_tuples_are_circuits():
    circuit = cirq.Circuit(cirq.X(A))
    for value in (circuit, circuit.freeze(), [cirq.X(A)], cirq.X(A), cirq.X, (circuit, [A]), cirq.Moment(cirq.X(A))):
        assert observed(value)["probabilities"] == approx({"1": 1})
    assert problem((circuit, circuit)) == "returned 2 circuits; one was expected"


def test_histograms_and_arrays_are_read():
    assert observed(Counter({0: 1, 3: 3}))["probabilities"] == {"00": 0.25, "11": 0.75}
    assert observed(Counter({(0, 1): 2, (1, 1): 6}))["probabilities"] == {"01": 0.25, "11": 0.75}
    assert observed(np.array([[0, 1], [1, 1], [1, 1], [1, 1]]))["shots"] == 4
    assert observed(np.array([0.5, 0.5]))["shots"] is None
    assert observed(np.array([0.6, 0.8j]))["probabilities"] == approx({"0": 0.36, "1": 0.64})


def test_integer_outcomes_are_marked_because_their_width_is_unknown():
    circuit = cirq.Circuit(cirq.X(B), cirq.measure(A, B, C, key="m"))
    result = cirq.Simulator().run(circuit, repetitions=5)
    for counts in (result.histogram(key="m"), result.multi_measurement_histogram(keys=["m"]), {"0x2": 5}):
        seen = observed(counts)
        assert (seen["probabilities"], seen["integer_keys"]) == ({"10": 1}, True)
    for counts in (result, {"010": 5}, {(0, 1, 0): 5}):
        assert "integer_keys" not in observed(counts)


def test_unreadable_values_are_explained_in_one_sentence():
    theta = sympy.Symbol("theta")
    assert problem(cirq.Circuit(cirq.rx(theta)(A))) == "the circuit has unresolved parameters: theta"
    assert problem(cirq.Circuit()) == "the circuit is empty: it has no qubits"
    assert problem(None) == "returned None; a cirq.Circuit was expected"
    assert problem("0101") == "returned a str; a distribution over measurement outcomes was expected"
    assert "qudits" in problem(cirq.Circuit(cirq.IdentityGate(qid_shape=(3,))(cirq.LineQid(0, 3))))
    assert "key 'm' before it is measured" in problem(cirq.Circuit(cirq.X(A).with_classical_controls("m")))
    assert "at most 24" in problem(cirq.Circuit(cirq.H.on_each(*cirq.LineQubit.range(30))))


def test_exceptions_of_the_candidate_are_raised_unchanged():
    with pytest.raises(ValueError, match="uplicate"):
        observe(lambda: cirq.CNOT(A, A), "distribution")
