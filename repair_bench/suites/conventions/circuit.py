"""Circuits as data, with exact numpy simulation.

Qubit 0 is the most significant bit of a state or matrix index; bit 0 is the first character of an outcome. After its
measurement, a qubit can be used only as a control. A classical condition is therefore equivalent to a control on the
measured qubit, and the order of measurements has no effect.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.complex128]

NEGLIGIBLE = 1e-12
_ROOT = 1 / math.sqrt(2)
_FIXED: dict[str, list[list[complex]]] = {
    "h": [[_ROOT, _ROOT], [_ROOT, -_ROOT]],
    "x": [[0, 1], [1, 0]],
    "y": [[0, -1j], [1j, 0]],
    "z": [[1, 0], [0, -1]],
    "s": [[1, 0], [0, 1j]],
    "sdg": [[1, 0], [0, -1j]],
    "t": [[1, 0], [0, cmath.exp(0.25j * math.pi)]],
    "tdg": [[1, 0], [0, cmath.exp(-0.25j * math.pi)]],
    "swap": [[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]],
}
_TURNED = ("rx", "ry", "rz", "p")
_INVERSES = {"s": "sdg", "sdg": "s", "t": "tdg", "tdg": "t"}


@dataclass(frozen=True)
class Gate:
    """A gate, optionally controlled by qubits or classical bits.

    `name`: h x y z s sdg t tdg swap, or rx ry rz p (diag(1, exp(i angle))) with an angle in radians. `controls`: pairs
    of a qubit and the required value. `conditions`: pairs of a classical bit and the required value.
    """

    name: str
    qubits: tuple[int, ...]
    angle: float | None = None
    controls: tuple[tuple[int, int], ...] = ()
    conditions: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        if self.name not in _FIXED and self.name not in _TURNED:
            raise ValueError(f"there is no gate named {self.name!r}")
        if (self.angle is None) != (self.name in _FIXED):
            raise ValueError(f"{self.name}: only these gates take an angle: {', '.join(_TURNED)}")
        used = [*self.qubits, *(qubit for qubit, _ in self.controls)]
        if len(self.qubits) != (2 if self.name == "swap" else 1) or len(set(used)) != len(used):
            raise ValueError(f"{self.name}: acts on qubits {used}")

    @property
    def matrix(self) -> Array:
        """Return the gate's 2 x 2 or 4 x 4 matrix, which does not include the controls."""
        if self.angle is None:
            return np.array(_FIXED[self.name], dtype=np.complex128)
        cosine, sine = math.cos(self.angle / 2), math.sin(self.angle / 2)
        turned = {
            "rx": [[cosine, -1j * sine], [-1j * sine, cosine]],
            "ry": [[cosine, -sine], [sine, cosine]],
            "rz": [[cmath.exp(-0.5j * self.angle), 0], [0, cmath.exp(0.5j * self.angle)]],
            "p": [[1, 0], [0, cmath.exp(1j * self.angle)]],
        }
        return np.array(turned[self.name], dtype=np.complex128)

    @property
    def inverse(self) -> Gate:
        angle = None if self.angle is None else -self.angle
        return replace(self, name=_INVERSES.get(self.name, self.name), angle=angle)

    def controlled(self, *controls: int | tuple[int, int]) -> Gate:
        """Return the gate with additional controls: qubits that must be 1, or pairs (qubit, required value)."""
        more = tuple(control if isinstance(control, tuple) else (control, 1) for control in controls)
        return replace(self, controls=(*more, *self.controls))

    def when(self, bit: int, value: int = 1) -> Gate:
        return replace(self, conditions=(*self.conditions, (bit, value)))

    def on(self, qubits: Mapping[int, int]) -> Gate:
        moved = tuple((qubits[qubit], value) for qubit, value in self.controls)
        return replace(self, qubits=tuple(qubits[qubit] for qubit in self.qubits), controls=moved)


@dataclass(frozen=True)
class Measure:
    qubit: int
    bit: int


Step = Gate | Measure


@dataclass(frozen=True)
class Circuit:
    """A sequence of steps on qubits 0, 1, ...; each of the classical bits 0, 1, ... is written exactly once."""

    qubits: int
    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        measured: dict[int, int] = {}
        for step in self.steps:
            if isinstance(step, Measure):
                if step.bit in measured or step.qubit in measured.values():
                    raise ValueError(f"{step} measures a qubit twice, or writes to the same bit twice")
                measured[step.bit] = step.qubit
            elif set(step.qubits) & set(measured.values()):
                raise ValueError(f"{step} acts on a measured qubit")
            elif not {bit for bit, _ in step.conditions} <= set(measured):
                raise ValueError(f"{step} depends on a bit that has not been measured yet")
        if sorted(measured) != list(range(len(measured))):
            raise ValueError(f"the bits {sorted(measured)} are not numbered 0, 1, ...")

    @cached_property
    def measured(self) -> tuple[int, ...]:
        found = {step.bit: step.qubit for step in self.steps if isinstance(step, Measure)}
        return tuple(found[bit] for bit in sorted(found))

    def unitary(self) -> Array:
        return self._applied(np.eye(2**self.qubits, dtype=np.complex128))

    def state(self) -> Array:
        """Return the 2^n amplitudes of the state that the circuit prepares from |0...0>."""
        start = np.zeros((2**self.qubits, 1), dtype=np.complex128)
        start[0] = 1
        return self._applied(start)[:, 0]

    def distribution(self) -> dict[str, float]:
        weights = (np.abs(self.state()) ** 2).reshape((2,) * self.qubits)
        kept = list(self.measured)
        others = tuple(qubit for qubit in range(self.qubits) if qubit not in kept)
        left = weights.sum(axis=others)
        order = sorted(kept)
        table = left.transpose([order.index(qubit) for qubit in kept]).reshape(-1)
        return {format(i, f"0{len(kept)}b"): float(p) for i, p in enumerate(table) if p > NEGLIGIBLE}

    def _applied(self, columns: Array) -> Array:
        size = columns.shape[1]
        state = columns.reshape((2,) * self.qubits + (size,)).copy()
        for step in self.steps:
            if isinstance(step, Gate):
                fixed = dict(step.controls) | {self.measured[bit]: value for bit, value in step.conditions}
                where = tuple(fixed.get(qubit, slice(None)) for qubit in range(self.qubits))
                part = state[where]
                free = [qubit for qubit in range(self.qubits) if qubit not in fixed]
                axes = [free.index(qubit) for qubit in step.qubits]
                k = len(axes)
                gate = step.matrix.reshape((2,) * (2 * k))
                turned = np.tensordot(gate, part, axes=(list(range(k, 2 * k)), axes))
                state[where] = np.moveaxis(turned, list(range(k)), axes)
        return state.reshape(2**self.qubits, size)


def _fixed(name: str) -> Callable[[int], Gate]:
    return lambda qubit: Gate(name, (qubit,))


def _turned(name: str) -> Callable[[float, int], Gate]:
    return lambda angle, qubit: Gate(name, (qubit,), angle)


h, x, y, z, s = map(_fixed, "hxyzs")
"""Gates without an angle, as functions of the qubit."""
rx, ry, rz, p = map(_turned, _TURNED)
"""Gates with an angle in radians, as functions of the angle and the qubit."""


def swap(first: int, second: int) -> Gate:
    return Gate("swap", (first, second))


def cx(control: int, target: int) -> Gate:
    return x(target).controlled(control)


def cz(first: int, second: int) -> Gate:
    return z(second).controlled(first)


def cp(angle: float, first: int, second: int) -> Gate:
    return p(angle, second).controlled(first)


def inverse(gates: Iterable[Gate]) -> tuple[Gate, ...]:
    return tuple(gate.inverse for gate in reversed(list(gates)))


def fourier(qubits: Iterable[int], sign: int = 1) -> tuple[Gate, ...]:
    """Map |j> to sum_k exp(sign 2 pi i j k / 2^n) |k> / 2^(n/2). The first qubit is the most significant."""
    order = list(qubits)
    gates: list[Gate] = []
    for i, target in enumerate(order):
        gates.append(h(target))
        gates += [cp(sign * math.pi / 2 ** (j - i), order[j], target) for j in range(i + 1, len(order))]
    return (*gates, *(swap(order[i], order[-1 - i]) for i in range(len(order) // 2)))


def increment(qubits: Iterable[int]) -> tuple[Gate, ...]:
    """Map |j> to |j + 1 modulo 2^n>. The first of `qubits` is the most significant."""
    order = list(qubits)
    return tuple(x(target).controlled(*order[i + 1 :]) for i, target in enumerate(order))
