"""The interface of a family: a type of circuit synthesis problem with a hidden circuit of known cost.

The circuits consist of CNOT gates and phase gates. Each circuit maps the basis state |x> to exp(i f(x)) |Ax>, where A
is an invertible linear map over GF(2). A parity is the XOR of some qubits, written as a bit mask: bit q stands for
qubit q. Each phase gate applies to one parity, and f(x) is the sum of the phases whose parity is 1 for x.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any

Data = dict[str, Any]
"""The JSON object that a solver receives."""
Operation = tuple[str, tuple[int, ...], float | None]
"""The name of a gate, its qubits, and its angle in radians if it has one."""
Circuit = tuple[Operation, ...]


class Incorrect(Exception):  # noqa: N818 - a property of an answer
    """The circuit does not solve the instance. The message completes the sentence "the circuit ..."."""


@dataclass(frozen=True, eq=False)
class Instance:
    """An instance, and the hidden circuit (`plant`) from which it was generated.

    `planted`: the cost of the hidden circuit, which is an upper bound on the minimum cost. `bound`: a lower bound on
    the minimum cost.
    """

    data: Data = field(repr=False)
    plant: Circuit = field(repr=False)
    planted: int
    bound: int

    @cached_property
    def key(self) -> str:
        """A digest of the instance's data. Programs that store known circuits look up a circuit by this digest."""
        return hashlib.sha256(json.dumps(self.data, sort_keys=True).encode()).hexdigest()


class Clock:
    """The remaining CPU time of a solver. `target`: a cost at which the solver may stop."""

    def __init__(self, seconds: float, target: int = 0) -> None:
        self._end = time.process_time() + seconds
        self.target = target

    def over(self) -> bool:
        return time.process_time() > self._end


@dataclass(frozen=True, kw_only=True)
class Family:
    """A family of problems. All functions of a family are pure, except that the function `strong` reads a clock."""

    name: str
    title: str
    statement: str
    """The text for models that describes the instance, the required circuit, and the circuit's cost."""
    gates: tuple[str, ...]
    """The allowed gates."""
    draw: Callable[[int, Random], Instance]
    """Returns an instance with the given size (number of qubits)."""
    cost: Callable[[Data, Circuit], int]
    """Returns the cost of a circuit that contains only allowed gates. Raises `Incorrect` if the circuit does not solve
    the instance."""
    naive: Callable[[Data], Circuit]
    """The textbook construction."""
    tool: Callable[[Data], Circuit]
    """Returns the circuit that a standard tool for circuit synthesis constructs for an instance."""
    strong: Callable[[Data, Clock], Circuit]
    """Returns the best circuit that a heuristic search finds for an instance before the search runs out of time."""


def phases(qubits: int, circuit: Sequence[Operation]) -> tuple[list[tuple[int, Operation]], list[int]]:
    """Return the phase gates, each with the parity to which the gate applies, and the final parity of each qubit.

    A cz gate counts as three phases: one for each of its qubits, and one for their XOR.
    """
    rows = [1 << qubit for qubit in range(qubits)]
    found: list[tuple[int, Operation]] = []
    for operation in circuit:
        name, on, _ = operation
        if name == "cx":
            rows[on[1]] ^= rows[on[0]]
        elif name == "cz":
            first, second = rows[on[0]], rows[on[1]]
            found += [(first, ("s", on, None)), (second, ("s", on, None)), (first ^ second, ("sdg", on, None))]
        else:
            found.append((rows[on[0]], operation))
    return found, rows


def members(parity: int) -> list[int]:
    """Return the qubits in a parity."""
    return [qubit for qubit in range(parity.bit_length()) if parity >> qubit & 1]


def mask(qubits: Sequence[int]) -> int:
    return sum(1 << qubit for qubit in qubits)


def ladder(parity: int, *phase: tuple[str, float | None]) -> Circuit:
    """Return a circuit that computes a parity in its last qubit, applies phase gates to this qubit, and restores the
    qubit.
    """
    *others, last = members(parity)
    up: Circuit = tuple(("cx", (other, last), None) for other in others)
    return (*up, *((name, (last,), angle) for name, angle in phase), *up[::-1])
