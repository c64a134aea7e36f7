"""Conversions of the order of qubits and bits between the checks and the frameworks.

All checks use the neutral order: the first measured bit is the first character of a key, and qubit 0 is the most
significant bit of a state or matrix index. Cirq and PennyLane order bits and qubits in the same way as the checks.
Qiskit prints the last classical bit first, and qubit 0 is the least significant bit (`Framework.last_bit_first`). Each
conversion reverses the order of bits or qubits, so each function is its own inverse.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repair_bench.frameworks import FRAMEWORKS

Array = NDArray[np.complex128]


def key(bits: str, framework: str) -> str:
    """Convert the bits of an outcome from the checks' order to the framework's order, or back."""
    return bits[::-1] if FRAMEWORKS[framework].last_bit_first else bits


def keys(probabilities: Mapping[str, float], framework: str) -> dict[str, float]:
    return {key(bits, framework): p for bits, p in probabilities.items()}


def state(amplitudes: Array, framework: str) -> Array:
    """Convert 2^n amplitudes from the checks' order to the framework's order, or back."""
    return _reverse(amplitudes) if FRAMEWORKS[framework].last_bit_first else amplitudes


def unitary(matrix: Array, framework: str) -> Array:
    """Convert the rows and columns of a 2^n x 2^n matrix from the checks' order to the framework's order, or back."""
    return _reverse(_reverse(matrix).T).T if FRAMEWORKS[framework].last_bit_first else matrix


def _reverse(array: Array) -> Array:
    qubits = array.shape[0].bit_length() - 1
    rest: tuple[Any, ...] = array.shape[1:]
    split = array.reshape((2,) * qubits + rest)
    axes = (*range(qubits - 1, -1, -1), *range(qubits, qubits + len(rest)))
    return split.transpose(axes).reshape(array.shape)
