"""Neutral order: qubit 0 and the first measured bit come first."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging import CX, H, X, random_unitary

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites.checks import order

frameworks = st.sampled_from(list(FRAMEWORKS))
small = st.integers(0, 4)
seeds = st.integers(0, 2**32 - 1)


@given(st.text("01", max_size=12), frameworks)
def test_a_key_goes_there_and_back(bits: str, framework: str) -> None:
    assert order.key(order.key(bits, framework), framework) == bits


@given(seeds, small, frameworks)
def test_a_state_goes_there_and_back(seed: int, qubits: int, framework: str) -> None:
    state = random_unitary(seed, qubits)[0]
    assert np.array_equal(order.state(order.state(state, framework), framework), state)


@given(seeds, small, frameworks)
def test_a_unitary_goes_there_and_back(seed: int, qubits: int, framework: str) -> None:
    matrix = random_unitary(seed, qubits)
    assert np.array_equal(order.unitary(order.unitary(matrix, framework), framework), matrix)


@given(seeds, small, frameworks)
def test_reordering_commutes_with_applying_a_unitary(seed: int, qubits: int, framework: str) -> None:
    matrix, vector = random_unitary(seed, qubits), random_unitary(seed + 1, qubits)[0]
    moved = order.unitary(matrix, framework) @ order.state(vector, framework)
    assert np.allclose(order.state(matrix @ vector, framework), moved)


@given(st.integers(1, 6), st.data())
def test_a_basis_state_moves_as_its_key_does(qubits: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, 2**qubits - 1))
    state = np.eye(2**qubits)[index]
    own = order.state(state, "qiskit")
    assert format(int(np.argmax(own)), f"0{qubits}b") == order.key(format(index, f"0{qubits}b"), "qiskit")


@pytest.mark.parametrize("framework", ["cirq", "pennylane"])
def test_cirq_and_pennylane_print_in_neutral_order(framework: str) -> None:
    assert order.keys({"011": 1.0}, framework) == {"011": 1.0}


def test_qiskit_prints_the_first_bit_last() -> None:
    assert order.keys({"011": 0.25, "000": 0.75}, "qiskit") == {"110": 0.25, "000": 0.75}


def test_qiskit_gives_qubit_0_the_least_significant_index() -> None:
    assert np.allclose(order.unitary(np.kron(H, X), "qiskit"), np.kron(X, H))
    target_first = [[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0]]
    assert np.allclose(order.unitary(CX, "qiskit"), target_first)
