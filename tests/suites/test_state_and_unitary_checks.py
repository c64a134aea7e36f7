"""Verdicts on states and unitaries, up to a global phase."""

import cmath
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging import CX, H, X, Z, judge, random_unitary, state, unitary

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites.checks import Case, StateCheck, UnitaryCheck, order
from repair_bench.suites.checks.unitary import process_fidelity

seeds = st.integers(0, 2**32 - 1)
phases = st.floats(-math.pi, math.pi)
frameworks = st.sampled_from(list(FRAMEWORKS))
PLUS = np.array([1, 1]) / math.sqrt(2)
BELL = np.array([1, 0, 0, 1]) / math.sqrt(2)


def states(expected: object) -> StateCheck:
    return StateCheck(cases=(Case((), np.asarray(expected, dtype=complex)),))


def unitaries(expected: object) -> UnitaryCheck:
    return UnitaryCheck(cases=(Case((), np.asarray(expected, dtype=complex)),))


@given(seeds, st.integers(1, 4), phases, frameworks)
def test_a_state_passes_with_any_global_phase_in_every_framework(
    seed: int, n: int, phase: float, framework: str
) -> None:
    psi = random_unitary(seed, n)[0]
    own = cmath.exp(1j * phase) * order.state(psi, framework)
    assert judge(states(psi), state(own), framework=framework).kind == "pass"


@given(seeds, seeds, st.integers(1, 4))
def test_another_state_fails(seed: int, other: int, n: int) -> None:
    psi, phi = random_unitary(seed, n)[0], random_unitary(other, n)[1]
    assert (judge(states(psi), state(phi)).kind == "pass") == (abs(np.vdot(psi, phi)) ** 2 >= 1 - 1e-6)


@given(seeds, st.integers(1, 3), phases, frameworks)
def test_a_unitary_passes_with_any_global_phase_in_every_framework(
    seed: int, n: int, phase: float, framework: str
) -> None:
    u = random_unitary(seed, n)
    own = cmath.exp(1j * phase) * order.unitary(u, framework)
    assert judge(unitaries(u), unitary(own), framework=framework).kind == "pass"


@given(seeds, st.integers(1, 3), st.sampled_from([X, Z, H]))
def test_a_unitary_with_one_gate_more_fails(seed: int, n: int, gate: np.ndarray) -> None:
    u = random_unitary(seed, n)
    more = np.kron(gate, np.eye(2 ** (n - 1))) @ u
    assert judge(unitaries(u), unitary(more)).kind == "wrong_answer"


@given(seeds, seeds, phases)
def test_process_fidelity_is_symmetric_bounded_and_blind_to_phase(a: int, b: int, phase: float) -> None:
    u, v = random_unitary(a, 2), random_unitary(b, 2)
    fidelity = process_fidelity(u, v)
    assert 0 <= fidelity <= 1
    assert fidelity == pytest.approx(process_fidelity(v, u))
    assert fidelity == pytest.approx(process_fidelity(u, cmath.exp(1j * phase) * v))
    assert process_fidelity(u, u) == pytest.approx(1)


def test_process_fidelity_of_cnot_with_the_identity_is_a_quarter() -> None:
    assert process_fidelity(np.asarray(CX, dtype=complex), np.eye(4, dtype=complex)) == pytest.approx(0.25)


def test_a_relative_sign_that_no_measurement_shows_is_a_wrong_state() -> None:
    verdict = judge(states(BELL), state([1 / math.sqrt(2), 0, 0, -1 / math.sqrt(2)]))
    (case,) = verdict.evidence["cases"]
    assert case["distance"]["infidelity"] == pytest.approx(1)
    assert case["expected"] == "0.7071|00> + 0.7071|11>"
    assert case["got"] == "0.7071|00> - 0.7071|11>"


def test_kets_are_shown_with_qubit_0_leftmost_in_qiskit_too() -> None:
    one_zero = order.state(np.array([0, 0, 1, 0], dtype=complex), "qiskit")
    verdict = judge(states(BELL), state(one_zero), framework="qiskit")
    assert verdict.evidence["cases"][0]["got"] == "|10>"


def test_too_many_qubits_are_a_shape_mismatch() -> None:
    verdict = judge(states(PLUS), state(BELL))
    assert verdict.evidence["cases"][0]["mismatch"] == "shape"
    assert verdict.evidence["problem"] == "expected a state of 1 qubit, got 2 qubits"
    verdict = judge(unitaries(X), unitary(CX))
    assert verdict.evidence["cases"][0]["mismatch"] == "shape"


def test_the_first_basis_state_that_goes_wrong_is_shown() -> None:
    verdict = judge(unitaries(CX), unitary(np.eye(4)))
    (case,) = verdict.evidence["cases"]
    assert (case["expected"], case["got"]) == ("|10> -> |11>", "|10> -> |10>")


def test_a_wrong_relative_phase_of_right_basis_states_is_shown() -> None:
    verdict = judge(unitaries(np.diag([1, 1j])), unitary(1j * Z))
    (case,) = verdict.evidence["cases"]
    assert (case["expected"], case["got"]) == ("|1> -> i|1>", "|1> -> -|1>")
    assert "incorrect phase relative to that for |0>" in verdict.evidence["problem"]


def test_a_matrix_that_is_not_unitary_never_passes() -> None:
    assert judge(unitaries(np.eye(2)), unitary(np.array([[1, 0], [0, 0]]))).kind == "wrong_answer"
    assert judge(unitaries(np.eye(2)), unitary(np.array([[1, 1], [1, 1]]))).kind == "wrong_answer"
    assert judge(unitaries(np.eye(2)), unitary(5 * np.eye(2))).kind == "wrong_answer"


def test_a_state_that_is_not_normalised_never_passes() -> None:
    assert judge(states(PLUS), state([1, 1])).kind == "wrong_answer"
    assert judge(states(PLUS), state([0.5, 0.5])).kind == "wrong_answer"
