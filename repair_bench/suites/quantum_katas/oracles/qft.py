"""Fourier transforms: QFT, PhaseEstimation and UnitaryPatterns.

Which qubit is the most significant is open where a prompt says nothing: the first of the list (the katas' own order) or
the last (Qiskit's).
"""

from typing import Any

import numpy as np

from repair_bench.suites.oracles.kinds import Function, applied, one_reading, oracle, prepared, reversed_qubits, same

SIZES = (1, 2, 3, 4)


def fourier(qubits: int, sign: int = 1) -> Any:
    """The matrix of exp(2 pi i j k / 2^n) / sqrt(2^n)."""
    index = np.arange(2**qubits)
    return np.exp(sign * 2j * np.pi * np.outer(index, index) / 2**qubits) / 2 ** (qubits / 2)


def transforms(candidate: Function, sizes: "tuple[int, ...]", sign: int) -> None:
    """That the circuits are transforms, all in the same order of qubits."""
    cases = []
    for n in sizes:
        found = applied(candidate, n)
        cases.append((found, (fourier(n, sign), reversed_qubits(fourier(n, sign)))))
    one_reading(cases)


@oracle("QFT/1.2")
def two_qubit_transform(candidate: Function) -> None:
    """The transform of two qubits."""
    transforms(candidate, (2,), 1)


@oracle("QFT/1.7", "PhaseEstimation/2", "UnitaryPatterns/17")
def transform(candidate: Function) -> None:
    """The transform of any number of qubits."""
    transforms(candidate, SIZES, 1)


@oracle("QFT/1.8", "PhaseEstimation/3")
def inverse_transform(candidate: Function) -> None:
    """Its inverse."""
    transforms(candidate, SIZES, -1)


@oracle("QFT/1.4")
def phase_of_a_binary_fraction(candidate: Function) -> None:
    """exp(2 pi i 0.j1...jn) on |1> of the qubit, j1 the first of the list."""
    for n in (1, 2, 3):
        found = applied(lambda qc, q: candidate(qc, q[n], q[:n]), n + 1)
        index = np.arange(2 ** (n + 1))
        fraction = sum((index >> k & 1) / 2 ** (k + 1) for k in range(n))
        same(found, np.diag(np.exp(2j * np.pi * fraction * (index >> n & 1))))


@oracle("QFT/2.1")
def equal_superposition(candidate: Function) -> None:
    """All amplitudes are the same."""
    for n in SIZES:
        same(prepared(candidate, n), np.full(2**n, 2 ** (-n / 2)))


@oracle("QFT/2.2")
def periodic_state(candidate: Function) -> None:
    """The state of a frequency; the prompt says that the first qubit is the most significant."""
    for n in (1, 2, 3):
        for frequency in range(2**n):
            found = prepared(lambda qc, q: candidate(qc, q, frequency), n)
            same(found, reversed_qubits(fourier(n)[frequency]))


@oracle("QFT/2.5")
def square_wave(candidate: Function) -> None:
    """1, 1, -1, -1, ... in either order; what becomes of fewer than two qubits is left open."""
    cases = []
    for n in (2, 3, 4):
        wave = np.where(np.arange(2**n) // 2 % 2, -1.0, 1.0) / 2 ** (n / 2)
        cases.append((prepared(candidate, n), (wave, reversed_qubits(wave))))
    one_reading(cases)
