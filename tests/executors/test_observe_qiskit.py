"""Observations of Qiskit circuits, compared with literal probabilities."""

from __future__ import annotations

import subprocess
import sys
from math import pi, sqrt
from pathlib import Path

import numpy as np
import pytest
import qiskit.primitives
import random_circuits
from hypothesis import given, settings
from observed_programs import approx, readers
from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister
from qiskit.circuit import Gate, Parameter
from qiskit.circuit.classical import expr, types
from qiskit.circuit.library import PhaseGate, RYGate, SwapGate, UnitaryGate, XGate
from qiskit.circuit.library.standard_gates import MCXVChain
from qiskit.quantum_info import DensityMatrix, Kraus, Operator, Statevector
from qiskit.result import Counts, QuasiDistribution

from repair_bench.executors.guest.adapters.qiskit_adapter import PRELOAD, observe

GUEST = Path(__file__).parents[2] / "repair_bench" / "executors" / "guest"


def observed(value, what="distribution", qubits=None):
    return observe(lambda: value, what, qubits)


probabilities, amplitudes, matrix, problem = readers(observed)


def bell():
    qc = QuantumCircuit(2, 2)
    qc.h(0)
    qc.cx(0, 1)
    return qc


# measurements


def test_a_second_measurement_after_a_second_hadamard_is_uniform():
    qc = QuantumCircuit(1, 2)
    qc.h(0)
    qc.measure(0, 0)
    qc.h(0)
    qc.measure(0, 1)
    assert probabilities(qc) == approx({"00": 0.25, "01": 0.25, "10": 0.25, "11": 0.25})


def test_the_last_classical_bit_is_printed_first():
    qc = QuantumCircuit(3, 3)
    qc.x(0)
    qc.measure([0, 1, 2], [0, 1, 2])
    assert probabilities(qc) == approx({"001": 1})


def test_the_last_of_several_registers_is_first_in_the_key():
    a, b = ClassicalRegister(2, "a"), ClassicalRegister(1, "b")
    qc = QuantumCircuit(QuantumRegister(3), a, b)
    qc.x(0)
    qc.measure(0, a[0])
    qc.measure(1, a[1])
    qc.h(2)
    qc.measure(2, b[0])
    seen = observed(qc)
    assert seen["probabilities"] == approx({"001": 0.5, "101": 0.5})
    assert seen["registers"] == [["b", 1], ["a", 2]]


def test_all_qubits_are_measured_without_measurements():
    seen = observed(bell())
    assert (seen["bits"], seen["shots"]) == (2, None)
    assert seen["probabilities"] == approx({"00": 0.5, "11": 0.5})
    assert probabilities(QuantumCircuit(3)) == approx({"000": 1})


def test_bits_that_are_never_written_are_0():
    qc = QuantumCircuit(1, 3)
    qc.x(0)
    qc.measure(0, 1)
    assert probabilities(qc) == approx({"010": 1})


def test_measurements_inside_a_composite_instruction_count():
    inner = QuantumCircuit(2, 2, name="readout")
    inner.h(0)
    inner.measure([0, 1], [1, 0])
    qc = QuantumCircuit(2, 2)
    qc.x(1)
    qc.append(inner.to_instruction(), [0, 1], [0, 1])
    seen = observed(qc)
    assert seen["probabilities"] == approx({"01": 0.5, "11": 0.5})
    assert seen["gates"] == {"x": 1, "h": 1, "measure": 2}


def test_a_bit_that_is_measured_again_holds_the_last_outcome():
    qc = QuantumCircuit(2, 1)
    qc.h(0)
    qc.measure(0, 0)
    qc.measure(1, 0)
    qc.h(0)  # the first outcome was forgotten, not undone
    assert probabilities(qc) == approx({"0": 1})
    qc.measure(0, 0)
    assert probabilities(qc) == approx({"0": 0.5, "1": 0.5})


def test_one_qubit_may_be_measured_into_two_bits():
    qc = QuantumCircuit(1, 2)
    qc.h(0)
    qc.measure([0, 0], [0, 1])
    assert probabilities(qc) == approx({"00": 0.5, "11": 0.5})


def test_resetting_half_of_a_bell_pair_leaves_the_other_half_mixed():
    qc = bell()
    qc.reset(0)
    qc.h(1)
    qc.measure([0, 1], [0, 1])
    assert probabilities(qc) == approx({"00": 0.5, "10": 0.5})


def test_many_resets_stay_cheap():
    qc = QuantumCircuit(2, 1)
    for _ in range(60):
        qc.h(0)
        qc.cx(0, 1)
        qc.reset(0)
    qc.measure(1, 0)
    assert probabilities(qc) == approx({"0": 0.5, "1": 0.5})


def test_initialize_prepares_a_state_also_on_used_qubits():
    qc = QuantumCircuit(2, 2)
    qc.h(0)
    qc.initialize([0, 1], 0)
    qc.initialize([0.6, 0.8], 1)
    qc.measure([0, 1], [0, 1])
    assert probabilities(qc) == approx({"01": 0.36, "11": 0.64})


def test_a_noise_channel_is_exact():
    qc = QuantumCircuit(1, 1)
    flip = Kraus([np.sqrt(0.9) * np.eye(2), np.sqrt(0.1) * np.array([[0, 1], [1, 0]])])
    qc.append(flip.to_instruction(), [0])
    qc.measure(0, 0)
    assert probabilities(qc) == approx({"0": 0.9, "1": 0.1})


def test_twelve_measured_qubits_are_one_pass():
    qc = QuantumCircuit(12)
    qc.h(range(12))
    qc.measure_all()
    seen = probabilities(qc)
    assert len(seen) == 4096
    assert seen["0" * 12] == approx(2**-12)


# classical control


def teleport(angle):
    qc = QuantumCircuit(3, 3)
    qc.rx(angle, 0)
    qc.h(1)
    qc.cx(1, 2)
    qc.cx(0, 1)
    qc.h(0)
    qc.measure([0, 1], [0, 1])
    with qc.if_test((qc.clbits[1], 1)):
        qc.x(2)
    with qc.if_test((qc.clbits[0], 1)):
        qc.z(2)
    qc.measure(2, 2)
    return qc


def test_teleportation_with_if_test():
    seen = probabilities(teleport(pi / 3))
    assert sum(p for key, p in seen.items() if key[0] == "1") == approx(0.25)
    assert len(seen) == 8


def test_if_else_on_a_register():
    qc = QuantumCircuit(3, 3)
    qc.h(0)
    qc.x(1)
    creg = ClassicalRegister(2, "pair")
    qc.add_register(creg)
    qc.measure([0, 1], creg)
    with qc.if_test((creg, 0b10)) as otherwise:
        qc.x(2)
    with otherwise:
        qc.h(2)
    qc.measure(2, 2)
    assert probabilities(qc) == approx({"10100": 0.5, "11000": 0.25, "11100": 0.25})


def test_blocks_have_their_own_qubits_and_bits():
    body = QuantumCircuit(1, 1)
    body.x(0)
    body.measure(0, 0)
    qc = QuantumCircuit(2, 2)
    qc.if_else((qc.clbits[0], 0), body, None, [1], [1])
    assert probabilities(qc) == approx({"10": 1})


def test_switch_case():
    qc = QuantumCircuit(3, 3)
    qc.h([0, 1])
    qc.measure([0, 1], [0, 1])
    with qc.switch(qc.cregs[0]) as case:
        with case(0):
            qc.x(2)
        with case(1, 2):
            qc.h(2)
        with case(case.DEFAULT):
            pass
    qc.measure(2, 2)
    assert probabilities(qc) == approx(
        {"100": 0.25, "001": 0.125, "101": 0.125, "010": 0.125, "110": 0.125, "011": 0.25}
    )


def test_a_while_loop_that_ends_with_probability_one():
    qc = QuantumCircuit(1, 1)
    qc.h(0)
    qc.measure(0, 0)
    with qc.while_loop((qc.clbits[0], 0)):
        qc.h(0)
        qc.measure(0, 0)
    assert probabilities(qc) == approx({"1": 1})


def test_an_endless_loop_is_reported():
    qc = QuantumCircuit(1, 1)
    with qc.while_loop((qc.clbits[0], 0)):
        qc.measure(0, 0)
    assert "does not end" in problem(qc)


def test_for_loops_bind_a_parameter_and_support_break_and_continue():
    theta = Parameter("theta")
    qc = QuantumCircuit(1, 1)
    with qc.for_loop(range(1, 4), theta):
        qc.ry(theta * pi / 6, 0)
    qc.measure(0, 0)
    assert probabilities(qc) == approx({"1": 1})

    qc = QuantumCircuit(2, 2)
    with qc.for_loop(range(3)):
        qc.h(0)
        qc.measure(0, 0)
        with qc.if_test((qc.clbits[0], 1)):
            qc.break_loop()
        with qc.if_test((qc.clbits[0], 0)):
            qc.continue_loop()
        qc.x(1)
    qc.measure(1, 1)
    assert probabilities(qc) == approx({"01": 0.875, "00": 0.125})


def test_expressions():
    qc = QuantumCircuit(3, 3)
    qc.h([0, 1])
    qc.measure([0, 1], [0, 1])
    both = expr.bit_and(qc.clbits[0], expr.logic_not(qc.clbits[1]))
    with qc.if_test(expr.logic_or(both, expr.equal(qc.cregs[0], 0b010))):
        qc.x(2)
    qc.measure(2, 2)
    assert probabilities(qc) == approx({"000": 0.25, "101": 0.25, "110": 0.25, "011": 0.25})


@pytest.mark.skipif(not hasattr(QuantumCircuit, "add_var"), reason="classical variables came with Qiskit 1.0")
def test_variables():
    qc = QuantumCircuit(2, 2)
    count = qc.add_var("count", expr.lift(2, types.Uint(4)))
    qc.h(0)
    qc.measure(0, 0)
    with qc.if_test((qc.clbits[0], 1)):
        qc.store(count, expr.bit_xor(count, expr.lift(5, types.Uint(4))))
    with qc.if_test(expr.greater(count, 6)):
        qc.x(1)
    qc.measure(1, 1)
    assert probabilities(qc) == approx({"00": 0.5, "11": 0.5})


@pytest.mark.skipif(not hasattr(Gate, "c_if"), reason="c_if was removed in Qiskit 2.0")
def test_c_if():
    qc = QuantumCircuit(2, 2)
    qc.h(0)
    qc.measure(0, 0)
    qc.x(1).c_if(0, 1)
    qc.measure(1, 1)
    assert probabilities(qc) == approx({"00": 0.5, "11": 0.5})


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(random_circuits.circuits)
def test_any_circuit_agrees_with_density_matrices(steps):
    expected = {"".join(map(str, key[::-1])): p for key, p in random_circuits.distribution(steps).items()}
    assert probabilities(random_circuits.in_qiskit(steps)) == approx(expected)


# states and unitaries


def test_a_state_is_printed_as_statevector_prints_it():
    qc = QuantumCircuit(2)
    qc.h(0)
    qc.s(0)
    assert amplitudes(qc, 2) == approx([sqrt(0.5), 1j * sqrt(0.5), 0, 0])
    assert amplitudes(qc) == approx(list(Statevector(qc).data))


def test_the_global_phase_is_kept():
    qc = QuantumCircuit(1, global_phase=pi / 2)
    assert amplitudes(qc) == approx([1j, 0])
    assert matrix(qc) == pytest.approx(1j * np.eye(2))


def test_a_state_ignores_final_measurements():
    qc = bell()
    qc.measure([0, 1], [0, 1])
    assert amplitudes(qc) == approx([sqrt(0.5), 0, 0, sqrt(0.5)])


def test_a_mid_circuit_measurement_leaves_no_state():
    assert problem(teleport(0.3), "state") == "the circuit measures qubits before its end; a state was expected"


def test_initialize_is_a_state_but_not_a_unitary():
    qc = QuantumCircuit(1)
    qc.initialize([0.6, 0.8j])
    assert amplitudes(qc) == approx([0.6, 0.8j])
    assert "a unitary operation was expected" in problem(qc, "unitary")


def test_a_unitary_has_qubit_0_as_its_last_index():
    qc = QuantumCircuit(2)
    qc.cx(0, 1)
    assert matrix(qc, 2) == pytest.approx(np.array([[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0]]))


def test_a_unitary_of_a_deep_circuit_equals_qiskits():
    qc = QuantumCircuit(3)
    qc.h(0)
    qc.ccx(0, 1, 2)
    qc.append(UnitaryGate(np.array([[0, 1j], [1, 0]])), [1])
    qc.append(bell_gate().control(1, ctrl_state=0), [2, 0, 1])
    assert matrix(qc) == pytest.approx(Operator(qc).data)


def bell_gate():
    qc = QuantumCircuit(2, name="bell")
    qc.h(0)
    qc.cx(0, 1)
    return qc.to_gate()


def test_a_gate_is_a_unitary():
    assert matrix(XGate(), 1) == pytest.approx(np.array([[0, 1], [1, 0]]))


@pytest.mark.parametrize("size", [1, 3])
def test_another_number_of_qubits_is_a_shape_mismatch(size):
    seen = observed(QuantumCircuit(size), "unitary", 2)
    assert seen["mismatch"] == "shape"
    assert str(size) in seen["problem"]
    assert "2 qubits were expected" in seen["problem"]


# gates


def test_gates_are_counted_and_custom_gates_are_decomposed():
    qc = QuantumCircuit(3, 1)
    qc.append(bell_gate(), [0, 1])
    qc.sdg(0)
    qc.p(0.1, 0)
    qc.ccx(0, 1, 2)
    qc.swap(0, 1)
    qc.ch(0, 1)
    qc.append(UnitaryGate(np.eye(2)), [0])
    qc.append(XGate().control(1, ctrl_state=0), [0, 1])
    qc.barrier()
    qc.id(0)
    qc.reset(0)
    qc.measure(0, 0)
    qc.global_phase = 1
    assert observed(qc)["gates"] == {
        "h": 1,
        "cx": 2,
        "sdg": 1,
        "p": 1,
        "ccx": 1,
        "swap": 1,
        "ch": 1,
        "unitary": 1,
        "x": 2,
        "reset": 1,
        "measure": 1,
    }


def test_a_custom_gate_class_is_decomposed():
    class Twice(Gate):
        def __init__(self):
            super().__init__("twice", 1, [])

        def _define(self):
            self.definition = QuantumCircuit(1)
            self.definition.t(0)
            self.definition.t(0)

    class Bare(Gate):
        def __init__(self):
            super().__init__("bare", 1, [])

        def __array__(self, dtype=None, copy=None):
            return np.array([[0, 1], [1, 0]], dtype=dtype)

    qc = QuantumCircuit(1)
    qc.append(Twice(), [0])
    qc.append(Bare(), [0])
    assert observed(qc)["gates"] == {"t": 2, "unitary": 1}
    assert probabilities(qc) == approx({"1": 1})


def test_a_gate_class_whose_matrix_is_not_unitary_is_refused():
    class Cheat(Gate):
        def __init__(self):
            super().__init__("cheat", 1, [])

        def __array__(self, dtype=None, copy=None):
            return np.array([[0.6, 0], [0.8, 0]], dtype=dtype)

    qc = QuantumCircuit(1)
    qc.append(Cheat(), [0])
    assert problem(qc) == "the circuit applies a matrix that is not unitary"


# other return values


def test_counts_carry_their_shots():
    seen = observed({"0 1": 30, "1 0": 70})
    assert seen == {
        "kind": "distribution",
        "bits": 2,
        "probabilities": {"01": 0.3, "10": 0.7},
        "shots": 100,
        "gates": None,
    }
    assert observed(Counts({"0x0": 1, "0x3": 3}, memory_slots=2))["probabilities"] == {"00": 0.25, "11": 0.75}


def test_results_of_simulators_are_read():
    sampler = getattr(qiskit.primitives, "StatevectorSampler", None)
    if sampler is None:
        pytest.skip("samplers of this kind came with Qiskit 1.0")
    a, b = ClassicalRegister(1, "a"), ClassicalRegister(2, "b")
    qc = QuantumCircuit(QuantumRegister(2), a, b)
    qc.x(0)
    qc.measure(0, a[0])
    qc.measure([0, 1], b)
    result = sampler(seed=1).run([qc], shots=8).result()
    for value in (result, result[0], result[0].data):
        seen = observed(value)
        assert (seen["probabilities"], seen["shots"]) == ({"011": 1}, 8)
    assert observed(result[0].data.b)["probabilities"] == {"01": 1}


def test_results_of_aer_are_read():
    aer = pytest.importorskip("qiskit_aer", reason="qiskit-aer is absent")
    qc = QuantumCircuit(2)
    qc.x(1)
    qc.measure_all()
    result = aer.AerSimulator().run(qc, shots=5).result()
    seen = observed(result)
    assert (seen["probabilities"], seen["shots"]) == ({"10": 1}, 5)
    qc.save_statevector(label="kept")
    assert probabilities(qc) == approx({"10": 1})


def test_states_and_probabilities_are_read():
    state = Statevector(bell().remove_final_measurements(inplace=False))
    assert probabilities(state) == approx({"00": 0.5, "11": 0.5})
    assert amplitudes(state) == approx([sqrt(0.5), 0, 0, sqrt(0.5)])
    assert probabilities(DensityMatrix(state)) == approx({"00": 0.5, "11": 0.5})
    assert probabilities(np.array([0.25, 0.75])) == approx({"0": 0.25, "1": 0.75})
    assert probabilities([0.1, 0.2, 0.3, 0.4]) == approx({"00": 0.1, "01": 0.2, "10": 0.3, "11": 0.4})
    assert probabilities(QuasiDistribution({0: 0.5, 3: 0.5})) == approx({"00": 0.5, "11": 0.5})
    assert observed(QuasiDistribution({0: 1.0}))["integer_keys"]
    assert observed(QuasiDistribution({2: 1.0}, shots=8)) == {
        "kind": "distribution",
        "bits": 2,
        "probabilities": {"10": 1.0},
        "shots": 8,
        "gates": None,
        "integer_keys": True,
    }
    assert "integer_keys" not in observed(QuasiDistribution({"010": 1.0}))
    assert amplitudes(np.array([0.6, 0.8j])) == approx([0.6, 0.8j])
    assert matrix(Operator(XGate())) == pytest.approx(np.array([[0, 1], [1, 0]]))


def test_the_only_circuit_of_a_tuple_is_the_answer():
    assert probabilities((bell(), {"0": 1})) == approx({"00": 0.5, "11": 0.5})
    assert probabilities(("done", {"0": 1})) == approx({"0": 1})
    assert problem((bell(), bell())) == "returned 2 circuits; one was expected"


def test_unreadable_values_are_explained_in_one_sentence():
    assert observed(None) == {
        "kind": "other",
        "type": "NoneType",
        "repr": "None",
        "problem": "returned None; a QuantumCircuit was expected",
        "mismatch": "type",
    }
    qc = QuantumCircuit(1)
    qc.rx(Parameter("theta") + Parameter("phi"), 0)
    assert problem(qc) == "the circuit has unbound parameters: phi, theta"
    assert problem(QuantumCircuit()) == "the circuit is empty: it has no qubits"
    assert problem(0.5) == "returned a float; a distribution over measurement outcomes was expected"
    assert problem([0.5, 0.7]) == "returned 2 numbers that sum to 1.2; probabilities sum to 1"
    assert problem({"00": 0.5}) == "returned probabilities that sum to 0.5, not to 1"
    assert problem([0.5, 0.5], "state").endswith("these look like probabilities")
    assert len(observed("x" * 10_000)["repr"]) <= 500


def test_a_value_whose_repr_raises_is_still_described():
    class Rude:
        def __repr__(self):
            raise ValueError

    assert observed(Rude())["type"] == "Rude"


def test_large_circuits_are_refused_and_idle_qubits_are_free():
    big = QuantumCircuit(40)
    big.h(range(40))
    assert "at most 24" in problem(big)
    wide = QuantumCircuit(40, 2)
    wide.x(39)
    wide.measure([0, 39], [0, 1])
    assert probabilities(wide) == approx({"10": 1})
    long = QuantumCircuit(1, 30)
    long.measure([0] * 30, range(30))
    assert "at most 20" in problem(long)


def test_exceptions_of_the_candidate_are_raised_unchanged():
    def candidate():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        observe(candidate, "distribution")


@pytest.mark.slow
@pytest.mark.parametrize(("controls", "states"), [(4, range(16)), (5, (0, 13, 31))])
@pytest.mark.parametrize("base", [XGate(), PhaseGate(0.3), RYGate(0.4), SwapGate()], ids=lambda gate: gate.name)
def test_gates_with_many_controls_match_their_definition(base, controls, states):
    for state in states:
        gate = base.control(controls, ctrl_state=state)
        circuit = QuantumCircuit(gate.num_qubits)
        circuit.append(gate, circuit.qubits)
        np.testing.assert_allclose(matrix(circuit), Operator(gate.definition).data, atol=1e-9)


def test_a_controlled_gate_with_an_ancilla_is_decomposed():
    circuit = QuantumCircuit(7)
    circuit.append(MCXVChain(4), circuit.qubits)
    np.testing.assert_allclose(matrix(circuit), Operator(circuit).data, atol=1e-9)


def test_an_amplitude_that_is_not_a_number_is_reported():
    assert problem([float("nan"), 0.0], "state") == "returned a vector of norm nan; a state has norm 1"


@pytest.mark.slow
def test_the_adapter_does_not_import_repair_bench():
    assert "qiskit.quantum_info" in PRELOAD
    code = (
        "import importlib.util, sys; here = sys.argv[1]\n"
        "path = here + '/__init__.py'\n"
        "spec = importlib.util.spec_from_file_location('guest', path, submodule_search_locations=[here])\n"
        "sys.modules['guest'] = importlib.util.module_from_spec(spec)\n"
        "import guest.report, guest.adapters.qiskit_adapter\n"
        "assert not [name for name in sys.modules if name.startswith('repair_bench')]\n"
    )
    subprocess.run([sys.executable, "-I", "-c", code, str(GUEST)], check=True, timeout=60)
