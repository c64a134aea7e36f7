"""Convert the result of simulating a circuit (the branches of `exact`) to an observation."""

from __future__ import annotations

from typing import Callable, Sequence

import numpy as np

from . import exact, forms
from .exact import Branches
from .forms import Gates, Observation, Unreadable

MAX_UNITARY_QUBITS = 10


def distribution(branches: Branches, slots: Sequence[int], gates: Gates) -> Observation:
    forms.check_size(0, len({slot for b in branches for slot in slots if b.has_value(slot)}))
    joint = exact.distribution(branches, slots)
    probabilities = {"".join(map(str, key)): p for key, p in joint.items()}
    return forms.distribution(probabilities, len(slots), gates=gates)


def evolved(run: Callable[[Branches], Branches], form: str, qubits: int, gates: Gates) -> Observation:
    """Return the state or the unitary of a circuit on `qubits` qubits.

    `run`: a function that applies the circuit to simulated states (`exact.Branches`).
    """
    if form == "state":
        forms.check_size(qubits)
        return state(run(exact.start(qubits)), gates)
    if qubits > MAX_UNITARY_QUBITS:
        problem = "the circuit has {} qubits; the matrix can be computed for at most {}"
        raise Unreadable(problem.format(qubits, MAX_UNITARY_QUBITS), shape=True)
    return unitary(run(exact.basis(qubits)), gates)


def state(branches: Branches, gates: Gates) -> Observation:
    return forms.state(_pure(branches, "state"), gates)


def unitary(branches: Branches, gates: Gates) -> Observation:
    vector = _pure(branches, "unitary")
    side = 1 << (vector.size.bit_length() // 2)
    matrix = vector.reshape(side, side) * np.sqrt(side)
    if not np.allclose(matrix.conj().T @ matrix, np.eye(side)):
        raise Unreadable("the circuit is not unitary: it prepares a state or resets qubits")
    return forms.unitary(matrix, gates)


def _pure(branches: Branches, form: str) -> np.ndarray:
    expected = forms.EXPECTED[form]
    if exact.measured(branches):
        raise Unreadable("the circuit measures qubits before its end; {} was expected".format(expected))
    vector = exact.pure(branches)
    if vector is None:
        raise Unreadable("the circuit resets qubits in use or applies a channel; {} was expected".format(expected))
    return vector
