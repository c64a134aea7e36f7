"""What oracles are written with. Its text runs before theirs in the process of a test, on Python 3.8 and any Qiskit.

Qubit 0 is the least significant bit of an index, as in Qiskit. States and matrices are compared up to a global phase.
Random inputs are seeded: the same answer always meets the same ones.
"""

import copy
from typing import Any, Callable, Dict, Iterable, List, Sequence, Set, Tuple

import numpy as np
from qiskit import ClassicalRegister, QuantumCircuit, transpile
from qiskit.circuit import Barrier, ControlledGate, Gate, Instruction
from qiskit.circuit.library import get_standard_gate_name_mapping

from repair_bench.executors.guest.adapters import qiskit_adapter, qiskit_run

TOLERANCE = 1e-4
"""The largest difference of an entry: what an angle written with five digits costs."""

LIBRARY = {name: gate.base_class for name, gate in get_standard_gate_name_mapping().items()}
LIBRARY["barrier"] = Barrier

Function = Callable[..., Any]
Bits = List[int]


def oracle(*_: str) -> Callable[[Function], Function]:  # they are read from the text
    """Marks the oracle of these tasks."""
    return lambda function: function


def answer(candidate: Function, *arguments: Any) -> Any:
    """What the candidate returns. It may not change what it was given."""
    given = copy.deepcopy(arguments)
    value = candidate(*given)
    assert given == arguments, "an argument was changed"
    return value


def truth(value: Any) -> bool:
    """The value, which must be true or false, or 1 or 0: None and a text are neither."""
    assert isinstance(value, (int, np.integer, np.bool_)), "a truth value is asked for"
    assert value in (0, 1), "a truth value is asked for"
    return bool(value)


def whole(value: Any) -> int:
    """The value, which must be an integer."""
    assert isinstance(value, (int, float, np.number, np.bool_)), "an integer is asked for"
    assert value == int(value), "an integer is asked for"
    return int(value)


def applied(apply: Function, free: int, fresh: int = 0, spare: int = 0) -> Any:
    """What `apply(circuit, qubits)` adds to a circuit: a matrix of 2^(free + fresh) rows and 2^free columns.

    `qubits`: free + fresh numbers of qubits, in no order of their own; qubit k of the matrix is the k-th of them. The
    first `free` ones are in any state, the others in 0. `spare` more, the last ones of the circuit, and those that
    `apply` adds, are 0 and must be left so; where none is lent there is a qubit in another state, which must be left as
    it is. The circuit holds random gates before, which must stay.
    """
    width = free + fresh
    qubits, given = _surroundings(width, spare, free)
    circuit = circuit_of(apply(given.copy(), list(qubits)))
    # each free qubit is entangled with one more, so that one state holds what becomes of every input
    before, after = (_final(one, qubits, free).reshape(-1, 2**width, 2**free) for one in (given, circuit))
    assert len(after) >= len(before), "qubits of the circuit are gone"
    inputs = before[:, : 2**free].conj()
    matrix = np.tensordot(after[: len(before)], inputs, axes=([0, 2], [0, 2])) * 2**free
    assert np.allclose(matrix.conj().T @ matrix, np.eye(2**free), atol=TOLERANCE), "other qubits are changed"
    return matrix


def prepared(apply: Function, width: int) -> Any:
    """The state of `width` qubits, 2^width amplitudes, that `apply(circuit, qubits)` makes of zeros.

    `qubits`: see `applied`. Those that `apply` adds may be in any state, but not entangled with these.
    """
    qubits, given = _surroundings(width)
    others = _parts(given, qubits)[1]
    circuit = circuit_of(apply(given.copy(), list(qubits)))
    assert circuit.num_qubits >= given.num_qubits, "qubits of the circuit are gone"
    state, rest = _parts(circuit, qubits)
    kept = rest.reshape(-1, len(others)) @ others.conj()
    assert abs(np.linalg.norm(kept) - 1) < TOLERANCE, "other qubits are changed"
    return state


def _surroundings(width: int, spare: int = 0, free: int = 0) -> Tuple[List[int], QuantumCircuit]:
    """Numbers of `width` qubits, and a circuit with random gates on the first `free` of them; and on one more, the
    first of the circuit, where it has no qubits to lend: a program may take any of those.
    """
    strangers = 0 if spare else 1
    qubits = [strangers + qubit for qubit in scrambled(width)]
    circuit = QuantumCircuit(strangers + width + spare)
    circuit.global_phase = 0.4
    random_state(circuit, [*range(strangers), *qubits[:free]])
    return qubits, circuit


def state_of(circuit: QuantumCircuit, qubits: Sequence[int]) -> Any:
    """The state of some qubits, 2^k amplitudes, the first of them the least significant: not entangled with others."""
    return _parts(circuit, qubits)[0]


def _parts(circuit: QuantumCircuit, qubits: Sequence[int]) -> Tuple[Any, Any]:
    left, size, right = np.linalg.svd(_final(circuit, qubits).reshape(-1, 2 ** len(qubits)))
    assert abs(size[0] - 1) < TOLERANCE, "the qubits are entangled with others"
    return right[0], left[:, 0]


def _final(circuit: QuantumCircuit, qubits: Sequence[int], free: int = 0) -> Any:
    """The state in which a circuit ends, exactly: these qubits come first, the others in their order.

    The first `free` ones start entangled, one by one, with as many qubits besides, which come before all others as the
    last axis. What is measured is forgotten: it may decide what is done, but not what comes of it.
    """
    order = [*qubits, *(qubit for qubit in range(circuit.num_qubits) if qubit not in qubits)]
    size = len(order)
    start = np.zeros((2**size, 2**free), dtype=complex)
    start[range(2**free), range(2**free)] = 2 ** (-free / 2)
    rows = qiskit_run.final_rows(circuit, order, start)
    if len(rows) == 1:
        return rows.reshape(start.shape)
    left, sizes, right = np.linalg.svd(rows.reshape(len(rows), -1), full_matrices=False)
    assert abs(sizes[0] - 1) < TOLERANCE, "the state is left to chance"
    largest = left[np.abs(left[:, 0]).argmax(), 0]
    return (right[0] * largest / abs(largest)).reshape(start.shape)


def scrambled(width: int) -> List[int]:
    """The numbers below `width`, in an order that is neither theirs nor the reverse where there are three or more."""
    return [*range(1, width, 2), *range(0, width, 2)]


def outcomes(circuit: QuantumCircuit) -> Dict[str, float]:
    """The exact probabilities of what a circuit measures, its bits in Qiskit's order, without spaces."""
    seen = qiskit_adapter.observe(lambda: circuit, "distribution")
    assert seen["kind"] == "distribution", seen.get("problem")
    return dict(seen["probabilities"])


def is_of_library(operation: Any) -> bool:
    """Whether an operation is the library's own of its name, and not another that took the name."""
    known = LIBRARY.get(operation.name)
    return known is not None and operation.base_class is known


def opened(circuit: QuantumCircuit) -> QuantumCircuit:
    """The circuit with what its program put together taken apart, down to operations of the library."""
    while True:
        own = [step.operation for step in circuit.data if type(step.operation) in (Gate, Instruction, ControlledGate)]
        names = {operation.name for operation in own if operation.definition is not None}
        if not names:
            return circuit
        circuit = circuit.decompose(sorted(names))


def circuit_of(value: Any) -> QuantumCircuit:
    assert isinstance(value, QuantumCircuit), "a QuantumCircuit is asked for, not %s" % type(value).__name__
    return value


def same(found: Any, *accepted: Any) -> None:
    """That a state or a matrix is one of those accepted, up to a global phase."""
    assert any(is_same(found, one) for one in accepted), "what the circuit does is something else"


def is_same(found: Any, expected: Any) -> bool:
    """Whether two states or matrices are the same up to a global phase."""
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        return False
    overlap = np.vdot(expected, found)
    return bool(abs(overlap) > TOLERANCE and np.allclose(found, expected * overlap / abs(overlap), atol=TOLERANCE))


def one_reading(cases: Iterable[Tuple[Any, Sequence[Any]]], agree: Callable[[Any, Any], bool] = is_same) -> None:
    """That one reading of the prompt gives what was found in every case, up to a global phase each.

    A case: what was found, and what it is by the first reading, by the second, and so on.
    """
    left: Set[int] = set(range(1000))
    for found, readings in cases:
        left &= {number for number, expected in enumerate(readings) if agree(found, expected)}
        assert left, "what the circuit does is right by no reading"


def alike(found: Dict[str, float], expected: Dict[str, float]) -> bool:
    """Whether two distributions are the same."""
    return all(abs(found.get(key, 0.0) - expected.get(key, 0.0)) < TOLERANCE for key in {*found, *expected})


def classical(free: int, fresh: int, change: Callable[[Bits], None]) -> Any:
    """The matrix, as `applied` gives it, of a classical function: `change` works on the list of bits, qubit 0 first."""
    matrix = np.zeros((2 ** (free + fresh), 2**free))
    for index in range(2**free):
        bits = [index >> qubit & 1 for qubit in range(free + fresh)]
        change(bits)
        matrix[sum(bit << qubit for qubit, bit in enumerate(bits)), index] = 1
    return matrix


def reversed_qubits(array: Any) -> Any:
    """The same state or square matrix with its qubits in the reverse order."""
    array = np.asarray(array)
    qubits = len(array).bit_length() - 1
    axes = [*range(qubits)][::-1]
    if array.ndim == 2:
        axes += [qubits + axis for axis in axes]
    return array.reshape((2,) * len(axes)).transpose(axes).reshape(array.shape)


def holding(state: Any, qubits: Sequence[int], width: int) -> QuantumCircuit:
    """A circuit of `width` qubits, of plain gates, with this state on some of them, the first the least significant."""
    circuit = QuantumCircuit(width)
    circuit.prepare_state(np.asarray(state) / np.linalg.norm(state), list(qubits))
    return transpile(circuit, basis_gates=["u", "cx"], optimization_level=0)


def bell_state(circuit: QuantumCircuit, which: int, first: int = 0, second: int = 1) -> QuantumCircuit:
    """Phi+, Phi-, Psi+ or Psi- of two qubits that are 0."""
    circuit.h(first)
    circuit.cx(first, second)
    if which & 1:
        circuit.z(first)
    if which & 2:
        circuit.x(second)
    return circuit


def names(ask: Callable[[QuantumCircuit], Any], circuits: Iterable[QuantumCircuit], *accepted: List[int]) -> None:
    """That what each circuit holds is told by the same number whatever its phase, by those of one reading."""
    told: List[int] = []
    for circuit in circuits:
        answers = set()
        for turn in range(8):
            turned = circuit.copy()
            turned.global_phase += turn
            answers.add(whole(ask(turned)))
        assert len(answers) == 1, "the same state is told otherwise"
        told += answers
    assert told in accepted, "the states are mistaken for one another"


def mostly(happens: Callable[[], bool], share: float, otherwise: float) -> None:
    """That something happens in a share of the cases or more, by Wald's sequential test.

    What does is refused once in 10^6; what happens in the other share or less is accepted once in 1000.
    """
    evidence = 0.0
    while np.log(1e-6) < evidence < np.log(1e3):
        evidence += np.log(share / otherwise) if happens() else np.log((1 - share) / (1 - otherwise))
    assert evidence > 0, "it happens too seldom"


def is_fair(bits: Any, deviations: float = 6.0) -> bool:
    """Whether random bits, in columns, are 0 and 1 alike often. At six standard deviations a fair column is not once in
    10^9.
    """
    bits = np.asarray(bits)
    return bool(np.abs(bits.mean(axis=0) - 0.5).max() < deviations / 2 / np.sqrt(len(bits)))


def random_state(circuit: QuantumCircuit, qubits: Sequence[int], seed: int = 7) -> QuantumCircuit:
    """Random gates on these qubits, appended to the circuit; returned by themselves as well, to be undone."""
    rng = np.random.default_rng(seed)
    gates = QuantumCircuit(max(qubits, default=0) + 1)
    for qubit in qubits:
        gates.u(*rng.uniform(0.3, 2.8, 3), qubit)
    circuit.compose(gates, range(gates.num_qubits), inplace=True)
    return gates


def undone(circuit: QuantumCircuit, gates: QuantumCircuit, zeros: Sequence[int]) -> None:
    """That these qubits are all 0, with certainty, once gates are undone on a circuit that may measure."""
    assert is_undone(circuit, gates, zeros), "the qubits are in another state"


def is_undone(circuit: QuantumCircuit, gates: QuantumCircuit, zeros: Sequence[int]) -> bool:
    whole = circuit_of(circuit).copy()
    whole.compose(gates.inverse(), range(gates.num_qubits), inplace=True)
    seen = ClassicalRegister(len(zeros), "seen_at_the_end")
    whole.add_register(seen)
    whole.measure(list(zeros), seen)
    return sum(p for bits, p in outcomes(whole).items() if "1" in bits[: len(zeros)]) < TOLERANCE
