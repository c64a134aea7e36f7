"""Oracles of Qiskit HumanEval."""

import itertools
from typing import Any, Dict, List

import numpy as np
from qiskit import QuantumCircuit
from qiskit.quantum_info import (
    Clifford,
    DensityMatrix,
    Operator,
    Statevector,
    concurrence,
    random_clifford,
    random_statevector,
)

from repair_bench.suites.oracles.kinds import (
    TOLERANCE,
    Function,
    answer,
    circuit_of,
    is_fair,
    opened,
    oracle,
    outcomes,
    same_distribution,
    truth,
)


@oracle("qiskitHumanEval/24")
def constant_or_balanced(candidate: Function) -> None:
    """Test with linear and nonlinear functions of one to four bits."""
    for size in (1, 2, 3, 4):
        for constant in (0, 1):
            for inputs in ((), (0,), (size - 1,), range(size)):
                oracle_circuit = QuantumCircuit(size + 1)
                for qubit in inputs:
                    oracle_circuit.cx(qubit, size)
                if constant:
                    oracle_circuit.x(size)
                assert truth(candidate(oracle_circuit)) == (not inputs), "the function is classified incorrectly"
    multiplexed = QuantumCircuit(4)  # the third bit selects the first or the second
    multiplexed.ccx(0, 2, 3)
    multiplexed.x(2)
    multiplexed.ccx(1, 2, 3)
    multiplexed.x(2)
    majority = QuantumCircuit(4)  # 0 for 000, 001, 010 and 100
    for pair in itertools.combinations(range(3), 2):
        majority.ccx(*pair, 3)
    for oracle_circuit in (multiplexed, majority):
        assert not truth(candidate(oracle_circuit)), "the function is classified incorrectly"


@oracle("qiskitHumanEval/45")
def random_cliffords(candidate: Function) -> None:
    """Check that the candidate returns random Clifford objects or circuits with the requested number of qubits.

    For one qubit, there are 24 Cliffords. Forty random single-qubit Cliffords include at least four different
    Cliffords, except with a probability below 10^-20. For two or more qubits, the probability that any two of twelve
    random Cliffords are equal is at most 10^-2. The test requires at least six different Cliffords among the twelve.
    Almost all random Cliffords entangle the qubits and create a superposition.
    """
    for size in (1, 2, 3, 4):
        found = [Clifford(candidate(size)) for _ in range(40 if size == 1 else 12)]  # raises for any other
        assert all(one.num_qubits == size for one in found), "the number of qubits is incorrect"
        tables = [one.tableau for one in found]
        various = len({table.tobytes() for table in tables})
        assert various >= (4 if size == 1 else 6), "the Cliffords are not random"
        if size > 1:
            mixed = [table[:, :size] | table[:, size:-1] for table in tables]
            assert any(one.sum(axis=1).max() > 1 for one in mixed), "no Clifford entangles the qubits"
        assert any(table[size:, :size].any() for table in tables), "no Clifford creates a superposition"


@oracle("qiskitHumanEval/48")
def random_bytes(candidate: Function) -> None:
    """Check that 0 and 1 are equally frequent, that bits are uncorrelated, and that two calls return different numbers.

    A list of 96 random bytes has 80 different values on average (standard deviation 3). The probability that all 96
    bytes differ is 10^-7.
    """
    calls = [candidate(size) for size in (96, 96, 7, 1)]
    for numbers, size in zip(calls, (96, 96, 7, 1)):
        assert isinstance(numbers, list), "the returned value is not a list"
        assert len(numbers) == size, "the number of returned values is incorrect"
        assert all(isinstance(number, (int, np.integer)) and 0 <= number < 256 for number in numbers), (
            "a value is not an 8-bit number"
        )
    assert calls[0] != calls[1], "two calls return the same numbers"
    bits = np.array([[int(number) >> k & 1 for k in range(8)] for number in calls[0]])
    columns = [np.delete(bits ^ bits[:, [other]], other, axis=1) for other in range(8)]
    columns += [bits[later:] ^ bits[:-later] for later in range(1, 17)]
    assert all(map(is_fair, [bits, *columns])), "the numbers are not random"
    assert 58 < len(set(calls[0])) < 96, "the numbers are not random"


@oracle("qiskitHumanEval/63")
def sifts_the_key(candidate: Function) -> None:
    """Check that the key consists of the bits for which sender and receiver use the same basis, in order.

    About half of the bits remain, because the receiver's bases are random.

    The sender's bits are zeros followed by ones. A key is incorrect if its zeros and ones do not form two separate
    blocks, or if the key contains more zeros or more ones than the sender's bits.
    """
    size, lengths, readings = 8, [], {1, -1}
    rng = np.random.default_rng(5)
    for number in range(72):
        zeros = number % (size + 1)
        # repeated bases reveal a receiver with constant bases, who always keeps the same number of bits
        bases = [0] * size if number % 3 == 0 else [int(basis) for basis in rng.integers(2, size=size)]
        circuit = QuantumCircuit(size)
        for qubit in range(size):
            if qubit >= zeros:
                circuit.x(qubit)
            if bases[qubit]:
                circuit.h(qubit)
        key = candidate(list(bases), circuit)
        assert isinstance(key, str), "the key is not a string"
        assert key.count("0") <= zeros, "the key is not a subset of the sender's bits"
        assert key.count("1") <= size - zeros, "the key is not a subset of the sender's bits"
        assert len(key) == key.count("0") + key.count("1"), "the key is not a subset of the sender's bits"
        readings &= {step for step in (1, -1) if "".join(sorted(key)) == key[::step]}
        lengths.append(len(key))
    assert readings, "the bits of the key are not in order"
    for some in (lengths, lengths[::3]):
        assert abs(np.mean(some) / size - 0.5) < 3 / np.sqrt(size * len(some)), (
            "the key does not contain about half of the bits"
        )
    assert len(set(lengths[::3])) > 1, "the receiver's bases are always the same"


@oracle("qiskitHumanEval/144")
def concurrences_of_zero(candidate: Function) -> None:
    """Check that the candidate returns ten two-qubit density matrices of concurrence 0, apart from rounding errors."""
    matrices = candidate()
    assert len(matrices) == 10, "the number of matrices is not ten"
    assert all(isinstance(one, (DensityMatrix, np.ndarray)) for one in matrices), (
        "a returned value is not a density matrix"
    )
    found = [DensityMatrix(one) for one in matrices]
    assert all(one.dims() == (2, 2) and one.is_valid(atol=TOLERANCE) for one in found), (
        "a matrix is not a state of two qubits"
    )
    assert all(concurrence(one) < 1e-6 for one in found), "a concurrence is not 0"


@oracle("qiskitHumanEval/64")
def measures_what_is_orthogonal_to_s(candidate: Function) -> None:
    """Check that all outcomes z with z.s = 0 have the same probability, with the bits in either order."""
    readings = {1, -1}
    for s in ("11", "01", "100", "110", "1010", "0111", "0010"):
        circuit = circuit_of(answer(candidate, s))
        assert [(register.name, register.size) for register in circuit.cregs] == [("c", len(s))], (
            "the circuit does not have exactly one classical register c"
        )
        found = outcomes(circuit)
        readings = {reading for reading in readings if same_distribution(found, _orthogonal(s[::reading]))}
    assert readings, "the outcomes are not exactly the bit strings orthogonal to s"


def _orthogonal(s: str) -> Dict[str, float]:
    all_bits = map("".join, itertools.product("01", repeat=len(s)))
    found = [z for z in all_bits if sum(a == b == "1" for a, b in zip(z, s)) % 2 == 0]
    return dict.fromkeys(found, 1 / len(found))


@oracle("qiskitHumanEval/109")
def covers_the_equator(candidate: Function) -> None:
    """Check that the circuit has one qubit, one parameter and at most two gates.

    The states of the circuit must cover the whole equator of the Bloch sphere.
    """
    circuit = opened(circuit_of(answer(candidate)))
    assert circuit.num_qubits == 1, "the circuit does not have exactly one qubit"
    assert circuit.num_parameters == 1, "the circuit does not have exactly one parameter"
    assert circuit.size() <= 2, "the circuit has more than two gates"
    turns = np.linspace(0, 4 * np.pi, 997)
    states = [Statevector(circuit.assign_parameters([turn])).data for turn in turns]
    assert all(abs(abs(state[0]) ** 2 - 0.5) < TOLERANCE for state in states), "a state is not on the equator"
    phases = np.sort([np.angle(state[1] / state[0]) for state in states])
    gaps = np.diff([*phases, phases[0] + 2 * np.pi])
    assert gaps.max() < 0.1, "the states do not cover the whole equator"


@oracle("qiskitHumanEval/139")
def is_a_schmidt_decomposition(candidate: Function) -> None:
    """Check that the coefficients are nonnegative and that the terms add up to the state.

    The vectors of each part must be orthonormal.
    """
    partitions = ((1, 4, [0, 1]), (2, 3, [0]), (3, 3, [2]), (4, 4, [1, 3]), (5, 4, [0, 2, 3]))
    states = [(random_statevector(2**qubits, seed=seed).data, qubits, part) for seed, qubits, part in partitions]
    states += [(np.kron(states[1][0], [0.6, 0.8j]), 4, [0]), (np.eye(8)[0] * 0.6 - np.eye(8)[7] * 0.8, 3, [1])]
    for amplitudes, qubits, part in states:
        state = Statevector(amplitudes, dims=(2,) * qubits)
        terms = _terms(answer(candidate, state, part))
        assert terms, "the decomposition has no terms"
        assert all(np.isreal(c) and np.real(c) >= -TOLERANCE for c, _, _ in terms), "a coefficient is negative"
        firsts = np.array([np.asarray(first).ravel() for _, first, _ in terms])
        seconds = np.array([np.asarray(second).ravel() for _, _, second in terms])
        for vectors in (firsts, seconds):
            assert np.allclose(vectors.conj() @ vectors.T, np.eye(len(terms)), atol=TOLERANCE), (
                "the vectors are not orthonormal"
            )
        rest = [qubit for qubit in range(qubits) if qubit not in part]
        order = [*part, *rest]  # the qubit listed first is the least significant bit of the joint index
        joint = state.data.reshape((2,) * qubits).transpose([qubits - 1 - qubit for qubit in order[::-1]])
        total = sum(np.real(c) * np.kron(first, second) for (c, _, _), first, second in zip(terms, firsts, seconds))
        assert np.allclose(total, joint.ravel(), atol=TOLERANCE), "the sum of the terms is not the state"


def _terms(value: Any) -> List[Any]:
    """Return the terms of a Schmidt decomposition as tuples (coefficient, first vector, second vector).

    A tuple of three lists (coefficients, first vectors, second vectors) is converted to this form.
    """
    if isinstance(value, tuple) and len(value) == 3 and np.ndim(value[0]) == 1:
        value = zip(*value)
    return [tuple(term) for term in value]


@oracle("qiskitHumanEval/110")
def equivalent_cliffords(candidate: Function) -> None:
    """Check that the candidate returns the requested number of Clifford circuits.

    Each returned circuit must be equivalent to the candidate's input circuit within the tolerance.

    For an input circuit on five qubits, at least two returned circuits must differ.
    """
    for qubits, count, seed in ((1, 3, 1), (1, 4, 3), (1, 1, 5), (5, 6, 2)):
        circuit = random_clifford(qubits, seed=seed).to_circuit()
        found = list(answer(candidate, circuit, count))
        assert len(found) == count, "the number of circuits is incorrect"
        for one in found:
            Clifford(circuit_of(one))  # raises for any other
            assert Operator(one).equiv(Operator(circuit), rtol=0.4, atol=0.4), (
                "a circuit is not equivalent to the given circuit"
            )
        assert qubits == 1 or any(one != found[0] for one in found), "the circuits are not random"
