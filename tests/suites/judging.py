"""Tasks and outcomes made by hand."""

from typing import Any

import numpy as np

from repair_bench.suites.checks import CircuitCheck
from repair_bench.suites.task import Task
from repair_bench.traces.records import Outcome, Verdict


def task(check: CircuitCheck, framework: str = "cirq") -> Task:
    return Task("by hand", "01", framework, "answer", "", "", check, "algorithm")


def returned(*cases: Any) -> Outcome:
    return Outcome("returned", value={"cases": list(cases)})


def distribution(probabilities: dict[str, float], shots: int | None = None, **more: Any) -> dict[str, Any]:
    bits = len(next(iter(probabilities)))
    return {"kind": "distribution", "bits": bits, "probabilities": probabilities, "shots": shots, "gates": None, **more}


def state(amplitudes: Any, **more: Any) -> dict[str, Any]:
    amplitudes = np.asarray(amplitudes, dtype=complex)
    return {"kind": "state", "qubits": len(amplitudes).bit_length() - 1, "amplitudes": pairs(amplitudes), **more}


def unitary(matrix: Any, **more: Any) -> dict[str, Any]:
    matrix = np.asarray(matrix, dtype=complex)
    return {"kind": "unitary", "qubits": len(matrix).bit_length() - 1, "matrix": pairs(matrix), **more}


def pairs(array: Any) -> Any:
    return np.stack([array.real, array.imag], axis=-1).tolist()


def judge(check: CircuitCheck, *cases: Any, framework: str = "cirq") -> Verdict:
    return check.judge(task(check, framework), returned(*cases))


def random_unitary(seed: int, qubits: int) -> Any:
    rng = np.random.default_rng(seed)
    size = 2**qubits
    return np.linalg.qr(rng.normal(size=(size, size)) + 1j * rng.normal(size=(size, size)))[0]


H = np.array([[1, 1], [1, -1]]) / np.sqrt(2)
X = np.array([[0, 1], [1, 0]])
Z = np.diag([1, -1])
CX = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
"""Control first."""
