"""The order of qubits and bits: the neutral one, qubit 0 first, and each framework's own.

Neutral: the first measured bit is the first character of a key, and qubit 0 is the most significant index of a state
or a matrix. Cirq and PennyLane print in that order; Qiskit prints the last classical bit first and gives qubit 0 the
least significant index. The way there and the way back are the same reversal, so each function here is its own
inverse. A framework's file says which order it has (`Framework.last_bit_first`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repair_bench.frameworks import FRAMEWORKS

Array = NDArray[np.complex128]


def key(bits: str, framework: str) -> str:
    """An outcome's key, from neutral to own order or back."""
    return bits[::-1] if FRAMEWORKS[framework].last_bit_first else bits


def keys(probabilities: Mapping[str, float], framework: str) -> dict[str, float]:
    """A distribution's keys, from neutral to own order or back."""
    return {key(bits, framework): p for bits, p in probabilities.items()}


def state(amplitudes: Array, framework: str) -> Array:
    """2^n amplitudes, from neutral to own order or back."""
    return _reverse(amplitudes) if FRAMEWORKS[framework].last_bit_first else amplitudes


def unitary(matrix: Array, framework: str) -> Array:
    """A 2^n x 2^n matrix, rows and columns, from neutral to own order or back."""
    return _reverse(_reverse(matrix).T).T if FRAMEWORKS[framework].last_bit_first else matrix


def _reverse(array: Array) -> Array:
    """Reverse the bits of the first index."""
    qubits = array.shape[0].bit_length() - 1
    rest: tuple[Any, ...] = array.shape[1:]
    split = array.reshape((2,) * qubits + rest)
    axes = (*range(qubits - 1, -1, -1), *range(qubits, qubits + len(rest)))
    return split.transpose(axes).reshape(array.shape)
