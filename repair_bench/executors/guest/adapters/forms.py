"""Observations: plain dictionaries that describe the values returned by a candidate."""

from __future__ import annotations

import itertools
import re
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple

import numpy as np

from ..text import printed

MAX_QUBITS = 24
"""The maximum number of qubits of a simulated state."""
MAX_BITS = 20
"""The maximum number of classical bits of a distribution."""
MAX_OPERATIONS = 100_000
"""The maximum number of listed operations."""
ROTATIONS = ("rx", "ry", "rz", "p")
"""The gates for which an `Operation` contains the rotation angle."""
NEGLIGIBLE = 1e-12
"""The probability below which outcomes are omitted."""

Observation = Dict[str, Any]
Gates = Optional[Dict[str, int]]
Operation = Tuple[str, List[int], Optional[float]]
"""The name of an operation, the indices of its qubits and, for a rotation, its angle in radians."""

EXPECTED = {
    "distribution": "a distribution over measurement outcomes",
    "state": "a state",
    "unitary": "a unitary operation",
    "circuit": "a circuit",
}


class Unreadable(Exception):  # noqa: N818 - not an internal error: the value is not as requested
    """Raised if a returned value does not have the requested form. The message is one sentence that is shown to the
    model.

    `shape` is set if the value has the correct kind but an incorrect size.
    """

    def __init__(self, problem: str, *, shape: bool = False) -> None:
        super().__init__(problem)
        self.problem = problem
        self.shape = shape


def distribution(
    probabilities: Mapping[str, float], bits: int, *, shots: int | None = None, gates: Gates = None
) -> Observation:
    """Return a distribution.

    `probabilities`: the probability of each outcome, which is a string of `bits` characters in printed order.
    """
    _check_not_empty(bits)
    kept = {key: float(p) for key, p in sorted(probabilities.items()) if p > NEGLIGIBLE}
    return {"kind": "distribution", "bits": bits, "probabilities": kept, "shots": shots, "gates": gates}


def state(vector: Any, gates: Gates = None) -> Observation:
    """Return a state. `vector`: 2^n complex amplitudes."""
    vector = np.asarray(vector, dtype=complex).reshape(-1)
    _check_not_empty(_qubits(vector.size))
    return {"kind": "state", "qubits": _qubits(vector.size), "amplitudes": _pairs(vector), "gates": gates}


def unitary(matrix: Any, gates: Gates = None) -> Observation:
    """Return a unitary. `matrix`: 2^n x 2^n complex entries, rows first."""
    matrix = np.asarray(matrix, dtype=complex)
    _check_not_empty(_qubits(len(matrix)))
    return {"kind": "unitary", "qubits": _qubits(len(matrix)), "matrix": _pairs(matrix), "gates": gates}


def circuit(qubits: int, operations: Iterable[Operation]) -> Observation:
    listed = list(itertools.islice(operations, MAX_OPERATIONS + 1))
    if len(listed) > MAX_OPERATIONS:
        raise Unreadable("the circuit has more than {} operations".format(MAX_OPERATIONS))
    return {"kind": "circuit", "qubits": qubits, "operations": listed}


def observed(value: Any, read: Callable[[Any], Observation]) -> Observation:
    """Return the observation that `read` creates from a value, or the reason why the value is unreadable."""
    try:
        return read(value)
    except Unreadable as reason:
        return {
            "kind": "other",
            "type": type(value).__name__,
            "repr": _ADDRESS.sub("", printed(value)),
            "problem": reason.problem,
            "mismatch": "shape" if reason.shape else "type",
        }


def check_size(qubits: int, bits: int = 0) -> None:
    if qubits > MAX_QUBITS:
        raise Unreadable("the circuit acts on {} qubits; at most {} can be simulated".format(qubits, MAX_QUBITS))
    if bits > MAX_BITS:
        raise Unreadable("the circuit measures {} bits; at most {} are supported".format(bits, MAX_BITS))


def check_width(found: int, expected: int | None) -> None:
    """Raise `Unreadable` if a circuit's number of qubits, `found`, differs from `expected` (None: any number)."""
    if expected is not None and found != expected:
        were = "was" if expected == 1 else "were"
        problem = "the circuit has {}; {} {} expected".format(count(found, "qubit"), count(expected, "qubit"), were)
        raise Unreadable(problem, shape=True)


def count(number: int, noun: str) -> str:
    return "{} {}{}".format(number, noun, "" if number == 1 else "s")


def a(value: Any) -> str:
    """Return the name of a value's type with an article: "a dict", "an int", "None"."""
    name = type(value).__name__
    return "None" if value is None else "{} {}".format("an" if name[:1] in "aeiouAEIO" else "a", name)


def _check_not_empty(qubits: int) -> None:
    if not qubits:
        raise Unreadable("the circuit is empty: it has no qubits", shape=True)


def _qubits(size: int) -> int:
    return max(size.bit_length() - 1, 0)


def _pairs(values: Any) -> Any:
    if not np.isfinite(values).all():
        raise Unreadable("the amplitudes contain infinity or NaN")
    return np.stack([values.real, values.imag], axis=-1).tolist()


_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
