"""Validate observations, which come from the untrusted process of a candidate.

If a value violates the schema of `repair_bench.executors.program`, `Unreadable` is raised. The answer is then judged
wrong, and the text of the exception becomes the verdict's `problem`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites.checks.order import Array
from repair_bench.traces.record.records import Outcome

Mismatch = Literal["shape", "type"]

MAX_BITS = 64
MAX_OUTCOMES = 2**20
MAX_SHOTS = 10**9
MAX_TEXT = 500


class Unreadable(Exception):  # noqa: N818 - not an infrastructure error
    """Raised for an observation of an incorrect kind or form. `got`: the value shown in the evidence."""

    def __init__(self, problem: str, got: Any = None, mismatch: Mismatch = "type") -> None:
        super().__init__(problem)
        self.problem = problem
        self.got = got
        self.mismatch: Mismatch = mismatch


@dataclass(frozen=True)
class Distribution:
    """Outcome probabilities with keys in the framework's order; `shots` is None if the probabilities are exact.

    `registers`: the name and the number of bits of each classical register (Qiskit) or measurement key (Cirq), in the
    order of the keys; empty if there are none or if they are unknown. `integer_keys`: whether the returned outcomes
    are integers, so that `bits` is only a minimum.
    """

    bits: int
    probabilities: dict[str, float]
    shots: int | None = None
    registers: tuple[tuple[str, int], ...] = ()
    integer_keys: bool = False

    def widened(self, bits: int) -> Distribution | None:
        """Return the distribution over outcomes of `bits` bits, or None if the outcomes have a different width."""
        if self.bits == bits:
            return self
        if not self.integer_keys or self.bits > bits:
            return None
        return replace(self, bits=bits, probabilities={key.zfill(bits): p for key, p in self.probabilities.items()})

    def answer(self, framework: str) -> Distribution | None:
        """Return the distribution of the framework's `result_register`, or by default that of the first printed
        register.

        The result is None if there are fewer than two registers, or if none of them is the result register.
        """
        if len(self.registers) < 2:
            return None
        names = [(number, name) for number, (name, bits) in enumerate(self.registers) for _ in range(bits)]
        result = FRAMEWORKS[framework].result_register
        if result is None:
            positions = [i for i, (number, _) in enumerate(names) if number == 0]
        else:
            positions = [i for i, (_, name) in enumerate(names) if name == result]
        if not 0 < len(positions) < self.bits:
            return None
        probabilities: dict[str, float] = {}
        for key, p in self.probabilities.items():
            part = "".join(key[i] for i in positions)
            probabilities[part] = min(1.0, probabilities.get(part, 0.0) + p)
        return Distribution(len(positions), probabilities, self.shots)


def observed(outcome: Outcome, count: int) -> list[dict[str, Any]]:
    """Return an outcome's observations, one per case. Raises `Unreadable` if the program did not return a value."""
    if outcome.status != "returned":
        raised = outcome.exception
        raise Unreadable(f"{raised.type}: {raised.message}" if raised is not None else outcome.status)
    return cases(outcome.value, count)


def cases(value: Any, count: int) -> list[dict[str, Any]]:
    """Return the observations in an outcome's value, one per case."""
    seen = value.get("cases") if isinstance(value, dict) else None
    if not isinstance(seen, list) or len(seen) != count or not all(isinstance(case, dict) for case in seen):
        raise Unreadable("the returned value could not be decoded")
    return seen


def distribution(seen: dict[str, Any]) -> Distribution:
    """Return the distribution in an observation: probabilities in [0, 1] within 1e-9, whose sum is 1 within 1e-6."""
    _expect_kind(seen, "distribution")
    bits = _bounded_integer(seen.get("bits"), 1, MAX_BITS, "number of bits")
    shots = seen.get("shots")
    if shots is not None:
        shots = _bounded_integer(shots, 1, MAX_SHOTS, "number of shots")
    raw = seen.get("probabilities")
    if not isinstance(raw, dict) or not 1 <= len(raw) <= min(2**bits, MAX_OUTCOMES):
        raise Unreadable("the outcome probabilities could not be decoded")
    probabilities = {}
    for key, p in raw.items():
        if not isinstance(key, str) or len(key) != bits or set(key) - {"0", "1"}:
            raise Unreadable(f"an outcome is not a string of {bits} bits")
        if not _finite(p) or not -1e-9 <= p <= 1 + 1e-9:
            raise Unreadable("an outcome probability is not a number from 0 to 1")
        probabilities[key] = min(max(float(p), 0.0), 1.0)
    total = math.fsum(probabilities.values())
    if abs(total - 1) > 1e-6:
        raise Unreadable(f"the outcome probabilities sum to {total:.6g}, not to 1")
    registers = _registers(seen.get("registers"), bits)
    return Distribution(bits, probabilities, shots, registers, seen.get("integer_keys") is True)


def state(seen: dict[str, Any]) -> Array:
    """Return the state in an observation: 2^n amplitudes in the framework's order, with norm 1 within 1e-6."""
    _expect_kind(seen, "state")
    qubits = _bounded_integer(seen.get("qubits"), 0, 20, "number of qubits")
    amplitudes = _complex(seen.get("amplitudes"), (2**qubits,))
    norm = float(np.linalg.norm(amplitudes))
    if abs(norm - 1) > 1e-6:
        raise Unreadable(f"the state has norm {norm:.6g}, not 1")
    return amplitudes


def unitary(seen: dict[str, Any]) -> Array:
    """Return the matrix in an observation: 2^n x 2^n in the framework's order, unitary within 1e-6."""
    _expect_kind(seen, "unitary")
    qubits = _bounded_integer(seen.get("qubits"), 0, 10, "number of qubits")
    matrix = _complex(seen.get("matrix"), (2**qubits, 2**qubits))
    with np.errstate(all="ignore"):
        deviation = float(np.abs(matrix.conj().T @ matrix - np.eye(2**qubits)).max())
    if not deviation <= 1e-6:
        raise Unreadable("the circuit's matrix is not unitary")
    return matrix


def circuit(seen: dict[str, Any]) -> list[tuple[str, tuple[int, ...], float | None]]:
    """Return the operations of a circuit: names, qubits, and the angles of rotations."""
    _expect_kind(seen, "circuit")
    qubits = _bounded_integer(seen.get("qubits"), 0, MAX_BITS, "number of qubits")
    listed = seen.get("operations")
    if not isinstance(listed, list):
        raise Unreadable("the operations of the circuit could not be decoded")
    operations = []
    for entry in listed:
        if not isinstance(entry, list | tuple) or len(entry) != 3:
            raise Unreadable("the operations of the circuit could not be decoded")
        name, on, angle = entry
        if not isinstance(name, str) or len(name) > MAX_TEXT or not isinstance(on, list | tuple):
            raise Unreadable("the operations of the circuit could not be decoded")
        if angle is not None and not _finite(angle):
            raise Unreadable("an angle of the circuit is not a finite number")
        where = tuple(_bounded_integer(qubit, 0, qubits - 1, "qubits of an operation") for qubit in on)
        operations.append((name, where, angle))
    return operations


def gates(seen: dict[str, Any]) -> dict[str, int] | None:
    """Return the count of each gate, or None if no circuit was observed."""
    raw = seen.get("gates")
    if raw is None:
        return None
    if not isinstance(raw, dict) or len(raw) > 1000:
        raise Unreadable("the gates of the circuit could not be decoded")
    for name, count in raw.items():
        if not isinstance(name, str) or len(name) > MAX_TEXT:
            raise Unreadable("the gates of the circuit could not be decoded")
        _bounded_integer(count, 0, MAX_SHOTS, "number of gates")
    return dict(raw)


def _registers(raw: Any, bits: int) -> tuple[tuple[str, int], ...]:
    """Return an observation's registers, or none if they are missing or invalid, or do not cover all bits."""
    if not isinstance(raw, list) or len(raw) > MAX_BITS:
        return ()
    registers = []
    for entry in raw:
        if not isinstance(entry, list) or len(entry) != 2 or not isinstance(entry[0], str):
            return ()
        if isinstance(entry[1], bool) or not isinstance(entry[1], int) or not 0 <= entry[1] <= bits:
            return ()
        registers.append((entry[0], entry[1]))
    return tuple(registers) if sum(size for _, size in registers) == bits else ()


def _expect_kind(seen: dict[str, Any], kind: str) -> None:
    if seen.get("kind") == kind:
        return
    problem = f"the returned value is not a valid {kind}"
    if seen.get("kind") != "other":
        raise Unreadable(problem)
    got = {"type": bounded(seen.get("type")), "repr": bounded(seen.get("repr"))}
    raise Unreadable(
        bounded(seen.get("problem")) or problem, got, "shape" if seen.get("mismatch") == "shape" else "type"
    )


def bounded(value: Any, size: int = MAX_TEXT) -> str:
    """Return text from the candidate, truncated and converted to valid UTF-8, or "" for a value that is not text."""
    return value[:size].encode(errors="replace").decode() if isinstance(value, str) else ""


def _bounded_integer(value: Any, low: int, high: int, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise Unreadable(f"the {name} could not be decoded")
    return value


def _finite(value: Any) -> bool:
    is_float = isinstance(value, float) and math.isfinite(value)
    return is_float or (isinstance(value, int) and not isinstance(value, bool))


def _complex(value: Any, shape: tuple[int, ...]) -> Array:
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError, RecursionError):
        raise Unreadable("the numbers in the result could not be decoded") from None
    if array.dtype.kind not in "fiu" or array.shape != (*shape, 2):
        raise Unreadable("the numbers in the result could not be decoded")
    if not bool((np.abs(array) <= 1 + 1e-6).all()):  # also false for nan
        raise Unreadable("the result contains a number that is not finite or is larger than 1")
    return np.asarray(array[..., 0] + 1j * array[..., 1], dtype=np.complex128)
