"""Oracles for Fourier transforms: QFT, PhaseEstimation and UnitaryPatterns.

Unless the prompt specifies the order of the qubits, both orders are accepted. The most significant qubit is the first
in the list, as in most of the exercises (katas), or the last, as in Qiskit.
"""

from typing import Any, Dict, List

import numpy as np

from repair_bench.suites.oracles.kinds import (
    TOLERANCE,
    Function,
    applied,
    circuit_of,
    mostly,
    one_reading,
    oracle,
    outcomes,
    prepared,
    reversed_qubits,
    same,
    same_distribution,
)

SIZES = (1, 2, 3, 4)


def fourier(qubits: int, sign: int = 1) -> Any:
    """Return the matrix with entries exp(2 pi i j k / 2^n) / sqrt(2^n)."""
    index = np.arange(2**qubits)
    return np.exp(sign * 2j * np.pi * np.outer(index, index) / 2**qubits) / 2 ** (qubits / 2)


def transforms(candidate: Function, sizes: "tuple[int, ...]", sign: int) -> None:
    """Assert that the circuits are Fourier transforms, all with the same order of qubits."""
    cases = []
    for n in sizes:
        found = applied(candidate, n)
        cases.append((found, (fourier(n, sign), reversed_qubits(fourier(n, sign)))))
    one_reading(cases)


@oracle("QFT/1.2")
def two_qubit_transform(candidate: Function) -> None:
    transforms(candidate, (2,), 1)


@oracle("QFT/1.7", "PhaseEstimation/2", "UnitaryPatterns/17")
def transform(candidate: Function) -> None:
    transforms(candidate, SIZES, 1)


@oracle("QFT/1.8", "PhaseEstimation/3")
def inverse_transform(candidate: Function) -> None:
    transforms(candidate, SIZES, -1)


@oracle("QFT/1.4")
def phase_of_a_binary_fraction(candidate: Function) -> None:
    """Check that the state |1> is multiplied by exp(2 pi i 0.j1...jn), where j1 is the first bit in the list."""
    for n in (1, 2, 3):
        found = applied(lambda qc, q: candidate(qc, q[n], q[:n]), n + 1)
        index = np.arange(2 ** (n + 1))
        fraction = sum((index >> k & 1) / 2 ** (k + 1) for k in range(n))
        same(found, np.diag(np.exp(2j * np.pi * fraction * (index >> n & 1))))


@oracle("QFT/2.1")
def equal_superposition(candidate: Function) -> None:
    for n in SIZES:
        same(prepared(candidate, n), np.full(2**n, 2 ** (-n / 2)))


@oracle("QFT/2.2")
def periodic_state(candidate: Function) -> None:
    """Check that the prepared state is the row of the Fourier matrix with the index `frequency`.

    According to the prompt, the first qubit is most significant.
    """
    for n in (1, 2, 3):
        for frequency in range(2**n):
            found = prepared(lambda qc, q: candidate(qc, q, frequency), n)
            same(found, reversed_qubits(fourier(n)[frequency]))


@oracle("QFT/2.5")
def square_wave(candidate: Function) -> None:
    """Check that the amplitudes have the signs 1, 1, -1, -1, ..., with the qubits in either order.

    The task is undefined for a single qubit.
    """
    cases = []
    for n in (2, 3, 4):
        wave = np.where(np.arange(2**n) // 2 % 2, -1.0, 1.0) / 2 ** (n / 2)
        cases.append((prepared(candidate, n), (wave, reversed_qubits(wave))))
    one_reading(cases)


@oracle("PhaseEstimation/5")
def phase_estimation(candidate: Function) -> None:
    """Check that the readout has the exact distribution, in either bit order, with or without the target qubit."""
    cases = []
    for n, theta in ((3, np.pi / 2), (3, 1.0), (2, -2.1), (4, 5.0)):
        circuit = circuit_of(candidate(n, theta)).copy()
        if not circuit.count_ops().get("measure"):
            circuit.measure_all()
        cases.append((outcomes(circuit), readouts(n, theta)))
    one_reading(cases, same_distribution)


def readouts(n: int, theta: float) -> List[Dict[str, float]]:
    """Return the accepted outcome distributions of a phase estimation with n qubits and the eigenphase `theta`.

    The distributions differ in bit order, and in whether the outcome of the target qubit is included. This outcome is
    always 1.
    """
    index = np.arange(2**n)
    amplitudes = np.exp(1j * np.outer(theta - 2 * np.pi * index / 2**n, index)).sum(axis=1) / 2**n
    readings = []
    for step in (1, -1):
        for before, after in (("", ""), ("1", ""), ("", "1")):
            keys = [before + format(k, "0%db" % n)[::step] + after for k in index]
            readings.append(dict(zip(keys, np.abs(amplitudes) ** 2)))
    return readings


@oracle("PhaseEstimation/7")
def estimates_a_phase(candidate: Function) -> None:
    """Check that the estimated phase is a multiple of 2 pi / 2^n.

    If the true phase is a multiple of 2 pi / 2^n, the estimate must equal the true phase. Otherwise, most estimates
    must be one of the two multiples next to the true phase.
    """

    def off(n: int, theta: float) -> float:
        step = 2 * np.pi / 2**n
        found = float(candidate(theta, n)) / step
        assert abs(found - round(found)) < TOLERANCE, "the phase is not a multiple of 2 pi / 2^n"
        return float(np.abs((found - theta / step + 2 ** (n - 1)) % 2**n - 2 ** (n - 1)))

    for n, theta in ((4, np.pi / 2), (3, 3 * np.pi / 4), (2, np.pi), (4, 11 * np.pi / 8)):
        assert all(off(n, theta) < TOLERANCE for _ in range(4)), "the phase is incorrect"
    mostly(lambda: off(3, 1.0) < 1, 0.89, 0.5)
