"""Exact evolution of a circuit with measurements, as a list of branches that differ in their classical memories.

A branch has a classical memory and an ensemble of k unnormalised pure states. The ensemble is an array of shape (k, 2,
..., 2), with one axis per qubit. The states together represent the density matrix of the branch. The squared norm of
the array is the probability of the branch. Nothing is sampled.

Measurements are deferred: for a measured bit, the memory contains the number of the measured qubit (see `Deferred`).
The branch is split into one branch per outcome only when an operation acts on the qubit again, or when the bit is read
or written. If all measurements are at the end of a circuit, no branch of its simulation is split.

In the row and column indices of a matrix that is passed to `apply`, the first qubit is the most significant bit.
"""

from __future__ import annotations

from typing import Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from .forms import Unreadable

PRUNE = 1e-14
"""The probability below which branches and pure states are dropped."""
MATRIX_QUBITS = 10
"""The maximum number of qubits of a matrix; operations on more qubits are decomposed."""
TOLERANCE = 1e-6
"""Maximum deviation of a gate from a unitary matrix. Some libraries store matrices in single precision."""


class Deferred(NamedTuple):
    """The outcome of a measurement of `qubit`, inverted if `flip` is set."""

    qubit: int
    flip: bool


Entry = Union[int, Deferred, None]
"""The content of a memory slot: an integer, a deferred outcome, or None before the first write."""
Memory = Tuple[Entry, ...]


class Branch(NamedTuple):
    memory: Memory
    rows: np.ndarray

    def value(self, slot: int) -> int | None:
        """Return the integer in a memory slot, or None before the first write. The slot must not contain a `Deferred`
        outcome.
        """
        entry = self.memory[slot] if self.has_value(slot) else None
        assert not isinstance(entry, Deferred), "the outcome of this measurement is not known yet: call settle() first"
        return entry

    def has_value(self, slot: int) -> bool:
        """Whether a value has been written to this slot or measured into it."""
        return slot < len(self.memory) and self.memory[slot] is not None

    def write(self, slot: int, entry: Entry) -> Branch:
        memory = list(self.memory) + [None] * (slot + 1 - len(self.memory))
        memory[slot] = entry
        return Branch(tuple(memory), self.rows)


Branches = List[Branch]


def start(qubits: int) -> Branches:
    """Return one branch with all qubits in state 0 and an empty memory."""
    rows = np.zeros((1,) + (2,) * qubits, dtype=complex)
    rows.flat[0] = 1
    return [Branch((), rows)]


def basis(qubits: int) -> Branches:
    """Return one branch in which each of n qubits is entangled with an ancilla qubit that is not used again.

    If a unitary circuit is applied to this branch, the amplitudes of the resulting state are the entries of the
    circuit's matrix, divided by sqrt(2^n). After a circuit that measures or resets qubits, the state is a mixture.
    """
    matrix = np.eye(2**qubits, dtype=complex) / np.sqrt(2**qubits)
    return [Branch((), matrix.reshape((1,) + (2,) * (2 * qubits)))]


def apply(branches: Branches, matrix: np.ndarray, qubits: Sequence[int]) -> Branches:
    """Apply a unitary (a 2^m x 2^m matrix) to `qubits`. Raises `Unreadable` if the matrix is not unitary."""
    matrix = np.asarray(matrix, dtype=complex)
    if not _is_identity(matrix.conj().T @ matrix):
        raise Unreadable("the circuit applies a matrix that is not unitary")
    return [Branch(b.memory, _on(b.rows, matrix, qubits)) for b in touch(branches, qubits)]


def controlled(branches: Branches, matrix: np.ndarray, qubits: Sequence[int], controls: Mapping[int, int]) -> Branches:
    """Apply a unitary, without checking it, to `qubits`, controlled on the given value of each control qubit."""
    out = []
    for b in touch(branches, [*controls, *qubits]):
        values = [controls.get(qubit) for qubit in range(b.rows.ndim - 1)]
        part = (slice(None), *(slice(None) if value is None else slice(value, value + 1) for value in values))
        rows = b.rows.copy()
        rows[part] = _on(rows[part], matrix, qubits)
        out.append(Branch(b.memory, rows))
    return out


def channel(branches: Branches, operators: Sequence[np.ndarray], qubits: Sequence[int]) -> Branches:
    """Apply the channel with these Kraus operators to `qubits`. Raises `Unreadable` if the trace is not preserved."""
    if not _is_identity(np.sum([k.conj().T @ k for k in operators], axis=0)):
        raise Unreadable("the circuit applies Kraus operators that do not form a channel")
    return _kraus(branches, operators, qubits)


def reset(branches: Branches, qubit: int) -> Branches:
    return _kraus(branches, [np.array([[1, 0], [0, 0]]), np.array([[0, 1], [0, 0]])], [qubit])


def project(branches: Branches, qubit: int, outcome: int) -> Branches:
    """Postselect the states in which `qubit` is `outcome`, without renormalising the probabilities."""
    return _kraus(branches, [np.diag([1 - outcome, outcome])], [qubit])


def prepare(branches: Branches, vector: np.ndarray, qubits: Sequence[int]) -> Branches:
    """Set `qubits`, which must all be in state 0, to a normalised state of 2^m amplitudes."""
    matrix = np.zeros((len(vector), len(vector)), dtype=complex)
    matrix[:, 0] = vector
    return _kraus(branches, [matrix], qubits)


def measure(branches: Branches, qubit: int, slot: int, *, flip: bool = False) -> Branches:
    return [b.write(slot, Deferred(qubit, flip)) for b in settle(branches, [slot])]


def write(branches: Branches, slot: int, values: Sequence[int]) -> Branches:
    """Write an integer to the same memory slot of every branch. `values`: the integer for each branch. The slot must
    not contain a `Deferred` outcome.
    """
    return _merge([b.write(slot, value) for b, value in zip(branches, values)])


def settle(branches: Branches, slots: Sequence[int]) -> Branches:
    """Split branches by the outcomes of the measurements in `slots`, so that `Branch.value` can read these outcomes."""
    return _split(branches, lambda slot, _: slot in slots)


def partition(branches: Branches, slots: Sequence[int], test: Callable[[Branch], bool]) -> Tuple[Branches, Branches]:
    """Apply a test to every branch, after splitting branches so that the outcomes of the measurements in `slots` are
    known.

    Return the branches that pass the test, and the branches that do not.
    """
    hit: Branches = []
    missed: Branches = []
    for branch in settle(branches, slots):
        (hit if test(branch) else missed).append(branch)
    return hit, missed


def probability(branches: Branches) -> float:
    return float(sum((b.rows.real**2 + b.rows.imag**2).sum() for b in branches))


def touch(branches: Branches, qubits: Sequence[int]) -> Branches:
    """Split each branch by the outcomes of the measured qubits among `qubits`.

    After the split, later operations can act on these qubits.
    """
    return _split(branches, lambda _, entry: entry.qubit in qubits)


def distribution(branches: Branches, slots: Sequence[int]) -> Dict[Tuple[int, ...], float]:
    """Return the normalised joint probabilities of the bits in `slots`. A slot without a value counts as 0."""
    joint: Dict[Tuple[int, ...], float] = {}
    for b in branches:
        entries = [b.memory[s] if b.has_value(s) else 0 for s in slots]
        waiting = sorted({e.qubit for e in entries if isinstance(e, Deferred)})
        others = tuple(axis for axis in range(b.rows.ndim) if axis - 1 not in waiting)
        table = (b.rows.real**2 + b.rows.imag**2).sum(axis=others)
        for index in np.argwhere(table > PRUNE / 100).tolist():
            outcomes = dict(zip(waiting, index))
            key = tuple([outcomes[e.qubit] ^ e.flip if isinstance(e, Deferred) else e or 0 for e in entries])
            joint[key] = joint.get(key, 0.0) + float(table[tuple(index)])
    total = sum(joint.values())
    return {key: p / total for key, p in joint.items()} if total > 0 else {}


def pure(branches: Branches) -> Optional[np.ndarray]:
    """Return the state vector (2^n amplitudes; qubit 0 is the most significant bit), or None for a mixture."""
    merged = _merge([Branch((), b.rows) for b in branches])
    if len(merged) != 1 or len(merged[0].rows) != 1:
        return None
    vector = merged[0].rows.reshape(-1)
    return np.asarray(vector / np.linalg.norm(vector))


def measured(branches: Branches) -> bool:
    """Whether any memory slot contains an integer. A measurement whose outcome is still `Deferred` is ignored."""
    return any(entry is not None and not isinstance(entry, Deferred) for b in branches for entry in b.memory)


def _kraus(branches: Branches, operators: Sequence[np.ndarray], qubits: Sequence[int]) -> Branches:
    out = []
    for b in touch(branches, qubits):
        rows = np.concatenate([_on(b.rows, operator, qubits) for operator in operators])
        out.append(Branch(b.memory, rows))
    return _merge(out)


def _is_identity(matrix: np.ndarray) -> bool:
    return bool(np.abs(matrix - np.eye(len(matrix))).max() < TOLERANCE)


def _on(rows: np.ndarray, matrix: np.ndarray, qubits: Sequence[int]) -> np.ndarray:
    order = [q + 1 for q in qubits]
    order += [axis for axis in range(rows.ndim) if axis not in order]
    moved = rows.transpose(order)
    back = sorted(range(rows.ndim), key=order.__getitem__)
    acted = np.asarray(matrix @ moved.reshape(len(matrix), -1))
    return acted.reshape(moved.shape).transpose(back)


def _split(branches: Branches, wanted: Callable[[int, Deferred], bool]) -> Branches:
    out: Branches = []
    changed = False
    todo = list(branches)
    while todo:
        b = todo.pop()
        qubit = next((e.qubit for s, e in enumerate(b.memory) if isinstance(e, Deferred) and wanted(s, e)), None)
        if qubit is None:
            out.append(b)
            continue
        changed = True
        for outcome in (0, 1):
            memory = tuple(outcome ^ e.flip if isinstance(e, Deferred) and e.qubit == qubit else e for e in b.memory)
            rows = np.zeros_like(b.rows)
            half = (slice(None),) * (qubit + 1) + (outcome,)
            rows[half] = b.rows[half]
            todo.append(Branch(memory, rows))
    return _merge(out) if changed else out


def _merge(branches: Branches) -> Branches:
    """Merge branches with equal memories, and drop negligible branches. Keep as few states per ensemble as possible."""
    groups: Dict[Memory, List[np.ndarray]] = {}
    for b in branches:
        groups.setdefault(b.memory, []).append(b.rows)
    out = []
    for memory, parts in groups.items():
        rows = _compress(np.concatenate(parts) if len(parts) > 1 else parts[0])
        if len(rows):
            out.append(Branch(memory, rows))
    return out


def _compress(rows: np.ndarray) -> np.ndarray:
    """Replace the states by at most 2^n orthogonal states with the same density matrix, and drop negligible states."""
    flat = rows.reshape(len(rows), -1)
    if len(flat) > 1:
        _, vectors = np.linalg.eigh(flat @ flat.conj().T)
        flat = vectors.conj().T @ flat
    kept = flat[(flat.real**2 + flat.imag**2).sum(axis=1) > PRUNE]
    return np.asarray(kept.reshape((-1, *rows.shape[1:])))
