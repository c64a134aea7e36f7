"""Helpers for oracles, for Python 3.8. In the test process, this file is prepended to the source code of an oracle.

Qubit 0 is the least significant bit of an index, as in Qiskit. States and matrices are compared up to a global phase.
Random inputs are seeded, so that an answer always receives the same inputs.
"""

import copy
from typing import Any, Callable, Collection, Dict, Iterable, List, Sequence, Set, Tuple

import numpy as np
from qiskit import ClassicalRegister, QuantumCircuit, transpile
from qiskit.circuit import Barrier, ControlledGate, Gate, Instruction
from qiskit.circuit.library import get_standard_gate_name_mapping

from repair_bench.executors.guest.adapters import qiskit_adapter, qiskit_run

TOLERANCE = 1e-4
"""The maximum difference between corresponding entries. Angles may be rounded to five digits."""

LIBRARY = {name: gate.base_class for name, gate in get_standard_gate_name_mapping().items()}
LIBRARY["barrier"] = Barrier

Function = Callable[..., Any]
Bits = List[int]


def oracle(*_: str) -> Callable[[Function], Function]:  # the arguments are read from the source text
    """Mark a function as the oracle of the tasks with these IDs."""
    return lambda function: function


def answer(candidate: Function, *arguments: Any) -> Any:
    """Return the result of the candidate, and assert that the candidate does not change the arguments."""
    given = copy.deepcopy(arguments)
    value = candidate(*given)
    assert given == arguments, "the candidate changed an argument"
    return value


def truth(value: Any) -> bool:
    """Return the value as a Boolean. Raise AssertionError unless the value is True, False, 1 or 0."""
    assert isinstance(value, (int, np.integer, np.bool_)), "the returned value is not a Boolean"
    assert value in (0, 1), "the returned value is not a Boolean"
    return bool(value)


def integer(value: Any) -> int:
    """Return the value as an integer. Raise AssertionError unless the value is a whole number."""
    assert isinstance(value, (int, float, np.number, np.bool_)), "the returned value is not an integer"
    assert value == int(value), "the returned value is not an integer"
    return int(value)


def applied(apply: Function, free: int, fresh: int = 0, spare: int = 0) -> Any:
    """Return the operation that `apply(circuit, qubits)` adds, as a matrix of 2^(free + fresh) rows and 2^free columns.

    `qubits`: a list of qubit indices in a scrambled order. The k-th qubit in this list is qubit k of the matrix. The
    first `free` qubits in the list are in any state, and the other `fresh` qubits are in state 0. The last `spare`
    qubits of the circuit are additional qubits, which `apply` may use. Spare qubits, and any qubits that `apply` adds,
    start as 0 and must end as 0. If `spare` is 0, the circuit has one further qubit, in a random state, and `apply`
    must not change this qubit. The circuit begins with random gates, which must be preserved.
    """
    width = free + fresh
    qubits, given = _surroundings(width, spare, free)
    circuit = circuit_of(apply(given.copy(), list(qubits)))
    # each free qubit is entangled with an additional one, so that one state contains the outputs for all inputs
    before, after = (_final(one, qubits, free).reshape(-1, 2**width, 2**free) for one in (given, circuit))
    assert len(after) >= len(before), "the circuit has fewer qubits than before"
    inputs = before[:, : 2**free].conj()
    matrix = np.tensordot(after[: len(before)], inputs, axes=([0, 2], [0, 2])) * 2**free
    assert np.allclose(matrix.conj().T @ matrix, np.eye(2**free), atol=TOLERANCE), "the candidate changed other qubits"
    return matrix


def prepared(apply: Function, width: int) -> Any:
    """Return the state (2^width amplitudes) of `width` qubits that `apply(circuit, qubits)` prepares from zeros.

    `qubits`: see `applied`. Qubits that `apply` adds may be in any state that is not entangled with `qubits`.
    """
    qubits, given = _surroundings(width)
    others = _parts(given, qubits)[1]
    circuit = circuit_of(apply(given.copy(), list(qubits)))
    assert circuit.num_qubits >= given.num_qubits, "the circuit has fewer qubits than before"
    state, rest = _parts(circuit, qubits)
    kept = rest.reshape(-1, len(others)) @ others.conj()
    assert abs(np.linalg.norm(kept) - 1) < TOLERANCE, "the candidate changed other qubits"
    return state


def _surroundings(width: int, spare: int = 0, free: int = 0) -> Tuple[List[int], QuantumCircuit]:
    """Return a list of `width` qubit indices in a scrambled order, and a circuit that contains these qubits.

    The circuit applies random gates to the first `free` qubits in the list. If `spare` is 0, random gates also
    act on an additional qubit, which is qubit 0 of the circuit. A program may use any spare qubit.
    """
    strangers = 0 if spare else 1
    qubits = [strangers + qubit for qubit in scrambled(width)]
    circuit = QuantumCircuit(strangers + width + spare)
    circuit.global_phase = 0.4
    random_state(circuit, [*range(strangers), *qubits[:free]])
    return qubits, circuit


def state_of(circuit: QuantumCircuit, qubits: Sequence[int]) -> Any:
    """Return the state of k qubits (2^k amplitudes, first qubit least significant).

    Raise AssertionError if these qubits are entangled with other qubits.
    """
    return _parts(circuit, qubits)[0]


def _parts(circuit: QuantumCircuit, qubits: Sequence[int]) -> Tuple[Any, Any]:
    left, size, right = np.linalg.svd(_final(circuit, qubits).reshape(-1, 2 ** len(qubits)))
    assert abs(size[0] - 1) < TOLERANCE, "the qubits are entangled with other qubits"
    return right[0], left[:, 0]


def _final(circuit: QuantumCircuit, qubits: Sequence[int], free: int = 0) -> Any:
    """Return the exact final state of a circuit, with `qubits` first and the remaining qubits in circuit order.

    Each of the first `free` qubits starts entangled with an additional qubit; the additional qubits form the last axis.
    Measured values may control gates, but the final state must not depend on them.
    """
    order = [*qubits, *(qubit for qubit in range(circuit.num_qubits) if qubit not in qubits)]
    size = len(order)
    start = np.zeros((2**size, 2**free), dtype=complex)
    start[range(2**free), range(2**free)] = 2 ** (-free / 2)
    rows = qiskit_run.final_rows(circuit, order, start)
    if len(rows) == 1:
        return rows.reshape(start.shape)
    left, sizes, right = np.linalg.svd(rows.reshape(len(rows), -1), full_matrices=False)
    assert abs(sizes[0] - 1) < TOLERANCE, "the final state is random"
    largest = left[np.abs(left[:, 0]).argmax(), 0]
    return (right[0] * largest / abs(largest)).reshape(start.shape)


def scrambled(width: int) -> List[int]:
    """Return the numbers below `width`, in an order that is neither ascending nor descending for `width` > 2."""
    return [*range(1, width, 2), *range(0, width, 2)]


def outcomes(circuit: QuantumCircuit) -> Dict[str, float]:
    """Return the exact outcome probabilities of a circuit; keys have Qiskit's bit order and no spaces."""
    seen = qiskit_adapter.observe(lambda: circuit, "distribution")
    assert seen["kind"] == "distribution", seen.get("problem")
    return dict(seen["probabilities"])


def is_of_library(operation: Any) -> bool:
    """Whether an operation is Qiskit's own operation, and not a custom operation with the same name."""
    known = LIBRARY.get(operation.name)
    return known is not None and operation.base_class is known


def opened(circuit: QuantumCircuit) -> QuantumCircuit:
    """Return the circuit with custom operations decomposed into operations of Qiskit's library."""
    while True:
        own = [step.operation for step in circuit.data if type(step.operation) in (Gate, Instruction, ControlledGate)]
        names = {operation.name for operation in own if operation.definition is not None}
        if not names:
            return circuit
        circuit = circuit.decompose(sorted(names))


def circuit_of(value: Any) -> QuantumCircuit:
    assert isinstance(value, QuantumCircuit), (
        "the returned value is not a QuantumCircuit, but %s" % type(value).__name__
    )
    return value


def same(found: Any, *accepted: Any) -> None:
    """Assert that a state or a matrix is one of the accepted ones, up to a global phase."""
    assert any(is_same(found, one) for one in accepted), "the effect of the circuit is incorrect"


def is_same(found: Any, expected: Any) -> bool:
    """Whether two states or matrices are the same up to a global phase."""
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        return False
    overlap = np.vdot(expected, found)
    return bool(abs(overlap) > TOLERANCE and np.allclose(found, expected * overlap / abs(overlap), atol=TOLERANCE))


def one_reading(cases: Iterable[Tuple[Any, Sequence[Any]]], agree: Callable[[Any, Any], bool] = is_same) -> None:
    """Assert that one reading of the prompt agrees with the results of all cases, up to a global phase per case.

    Each case is a pair: the candidate's result, and a list of the expected results, one for each reading of the prompt.
    Every case must list the expected results in the same order of readings.
    """
    left: Set[int] = set(range(1000))
    for found, readings in cases:
        left &= {number for number, expected in enumerate(readings) if agree(found, expected)}
        assert left, "the result is incorrect under every reading of the prompt"


def same_distribution(found: Dict[str, float], expected: Dict[str, float]) -> bool:
    """Whether two distributions are equal within the tolerance."""
    return all(abs(found.get(key, 0.0) - expected.get(key, 0.0)) < TOLERANCE for key in {*found, *expected})


def classical(free: int, fresh: int, change: Callable[[Bits], None]) -> Any:
    """Return the matrix of a classical function in the form that `applied` returns.

    `change` modifies a list of bits in place.
    """
    matrix = np.zeros((2 ** (free + fresh), 2**free))
    for index in range(2**free):
        bits = [index >> qubit & 1 for qubit in range(free + fresh)]
        change(bits)
        matrix[sum(bit << qubit for qubit, bit in enumerate(bits)), index] = 1
    return matrix


def reversed_qubits(array: Any) -> Any:
    """Return the state or square matrix with the qubits in reverse order."""
    array = np.asarray(array)
    qubits = len(array).bit_length() - 1
    axes = [*range(qubits)][::-1]
    if array.ndim == 2:
        axes += [qubits + axis for axis in axes]
    return array.reshape((2,) * len(axes)).transpose(axes).reshape(array.shape)


def holding(state: Any, qubits: Sequence[int], width: int) -> QuantumCircuit:
    """Return a circuit of basic gates that prepares a state on `qubits`, of which the first is least significant."""
    circuit = QuantumCircuit(width)
    circuit.prepare_state(np.asarray(state) / np.linalg.norm(state), list(qubits))
    return transpile(circuit, basis_gates=["u", "cx"], optimization_level=0)


def bell_state(circuit: QuantumCircuit, which: int, first: int = 0, second: int = 1) -> QuantumCircuit:
    """Prepare Phi+, Phi-, Psi+ or Psi- on two qubits that are in state 0; return the circuit."""
    circuit.h(first)
    circuit.cx(first, second)
    if which & 1:
        circuit.z(first)
    if which & 2:
        circuit.x(second)
    return circuit


def names(ask: Callable[[QuantumCircuit], Any], circuits: Iterable[QuantumCircuit], *accepted: List[int]) -> None:
    """Check that `ask` returns the correct number for each circuit's state, whatever the global phase.

    `accepted`: the accepted numberings.
    """
    named: List[int] = []
    for circuit in circuits:
        answers = set()
        for turn in range(8):
            turned = circuit.copy()
            turned.global_phase += turn
            answers.add(integer(ask(turned)))
        assert len(answers) == 1, "the number of a state depends on its global phase"
        named += answers
    assert named in accepted, "the states are not identified correctly"


def mostly(happens: Callable[[], bool], share: float, otherwise: float) -> None:
    """Assert, by Wald's sequential test, that an event has a probability of at least `share`.

    If the probability of the event is at least `share`, the assertion fails with a probability of at most 10^-6. If the
    probability of the event is at most the value of `otherwise`, the assertion succeeds with a probability of at most
    10^-3.
    """
    evidence = 0.0
    while np.log(1e-6) < evidence < np.log(1e3):
        evidence += np.log(share / otherwise) if happens() else np.log((1 - share) / (1 - otherwise))
    assert evidence > 0, "the required result occurs too rarely"


def is_fair(bits: Any, deviations: float = 6.0) -> bool:
    """Whether 0 and 1 are equally frequent in each column.

    By default, a column of fair bits fails with probability 2e-9.
    """
    bits = np.asarray(bits)
    return bool(np.abs(bits.mean(axis=0) - 0.5).max() < deviations / 2 / np.sqrt(len(bits)))


def random_state(circuit: QuantumCircuit, qubits: Sequence[int], seed: int = 7) -> QuantumCircuit:
    """Append random gates on `qubits` to the circuit; return the gates, so that they can be inverted."""
    rng = np.random.default_rng(seed)
    gates = QuantumCircuit(max(qubits, default=0) + 1)
    for qubit in qubits:
        gates.u(*rng.uniform(0.3, 2.8, 3), qubit)
    circuit.compose(gates, range(gates.num_qubits), inplace=True)
    return gates


def marking(marked: Collection[int]) -> Callable[..., QuantumCircuit]:
    """Return a function that flips the target (without a target, the sign) if the qubits hold a marked number."""

    def mark(circuit: QuantumCircuit, qubits: List[int], target: Any = None) -> QuantumCircuit:
        for index in marked:
            zeros = [qubit for k, qubit in enumerate(qubits) if not index >> k & 1]
            for qubit in zeros:
                circuit.x(qubit)
            if target is not None:
                circuit.mcx(list(qubits), target)
            elif len(qubits) == 1:
                circuit.z(qubits[0])
            else:
                circuit.h(qubits[-1])
                circuit.mcx(list(qubits[:-1]), qubits[-1])
                circuit.h(qubits[-1])
            for qubit in zeros:
                circuit.x(qubit)
        return circuit

    return mark


def sign_flips(qubits: int, marked: Collection[int]) -> Any:
    """Return the matrix that changes the signs of the marked states."""
    return np.diag([-1 if index in marked else 1 for index in range(2**qubits)])


def undone(circuit: QuantumCircuit, gates: QuantumCircuit, zeros: Sequence[int]) -> None:
    """Assert that the qubits `zeros` are 0 with certainty after the inverse of `gates`. The circuit may measure."""
    assert is_undone(circuit, gates, zeros), "the state of the qubits is incorrect"


def is_undone(circuit: QuantumCircuit, gates: QuantumCircuit, zeros: Sequence[int]) -> bool:
    extended = circuit_of(circuit).copy()
    extended.compose(gates.inverse(), range(gates.num_qubits), inplace=True)
    seen = ClassicalRegister(len(zeros), "seen_at_the_end")
    extended.add_register(seen)
    extended.measure(list(zeros), seen)
    return sum(p for bits, p in outcomes(extended).items() if "1" in bits[: len(zeros)]) < TOLERANCE
