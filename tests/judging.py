"""Hand-made tasks, outcomes and executors."""

from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np

from repair_bench.executors.program import Program
from repair_bench.suites.checks import CircuitCheck
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Outcome, Verdict


class MadeExecutor:
    """An executor that passes each program to a function. `most`: the maximum number of concurrent programs."""

    def __init__(self, run: Callable[[Program], Awaitable[Outcome]], capacity: int = 4) -> None:
        self.capacity = capacity
        self.in_flight = self.most = 0
        self._run = run

    async def run(self, program: Program) -> Outcome:
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        try:
            return await self._run(program)
        finally:
            self.in_flight -= 1

    async def close(self) -> None: ...


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
"""The control is the first qubit."""


HADAMARD_TEST = """
from qiskit import QuantumCircuit

def Hadmard_Test_h(theta):
    qc = QuantumCircuit(2, 1)
    qc.ry(theta, 1)
    qc.h(0)
    qc.ch(0, 1)
    qc.h(0)
    qc.measure(0, 0)
    return qc
"""
"""Correct for task 15 of the built-in suite, which is judged by a distribution."""

A_LITTLE_OFF = HADAMARD_TEST.replace("qc.ry(theta, 1)", "qc.ry(theta + 0.05, 1)")
"""Incorrect by the exact rule, correct by the paper's."""
