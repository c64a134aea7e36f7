"""Matrices of OpenQASM 3 gates (`U`, stdgates.inc and modifiers).

In matrix indices, the first qubit is the most significant bit. Phases are as defined in OpenQASM 3 (arXiv 2104.14722,
and stdgates.inc in the specification). The phase of a gate is observable if the gate is controlled. For example,
U(theta, phi, lambda) is exp(i theta / 2) times Qiskit's gate with the same name.
"""

from __future__ import annotations

import cmath
import math
from functools import partial
from typing import Callable, Dict, Mapping, Optional, Tuple

import numpy as np

from .openqasm3_errors import Refused

MAX_POWER = 1_000_000
"""The maximum absolute value of an exponent to which a gate's matrix can be raised. With larger exponents, rounding
errors make the power deviate too much from a unitary matrix."""
MATRIX_QUBITS = 10
"""The maximum number of qubits of a gate with modifiers (not counting controls), and of a program whose matrix is
requested."""
INEXACT = 1e-10
"""A matrix error above this value is too large to be due to rounding alone."""
_INEXACT_POWER = "this power of a gate cannot be computed accurately enough"
_TURNED = (0.4405, 1.2273, 2.0911, 2.8742)
"""Rotation angles to try. Each angle is unlikely to lie halfway between two eigenphases of a gate."""


Gate = Tuple[int, Callable[..., np.ndarray]]
"""The number of angles of a gate, and the function that returns the gate's matrix."""


def u(theta: float, phi: float, lam: float) -> np.ndarray:
    half = theta / 2
    turned = [
        [math.cos(half), -cmath.exp(1j * lam) * math.sin(half)],
        [cmath.exp(1j * phi) * math.sin(half), cmath.exp(1j * (phi + lam)) * math.cos(half)],
    ]
    return cmath.exp(1j * half) * np.array(turned)


def phase(angle: float) -> np.ndarray:
    return np.array([[cmath.exp(1j * angle)]])


def controlled(matrix: np.ndarray, controls: int) -> np.ndarray:
    """Return the matrix of a gate with `controls` added control qubits. The control qubits are the first qubits."""
    size, own = len(matrix) << controls, len(matrix)
    made = np.eye(size, dtype=complex)
    made[size - own :, size - own :] = matrix
    return made


def power(matrix: np.ndarray, exponent: float) -> np.ndarray:
    """Raise a unitary matrix to the power `exponent`. If the exponent is not an integer, return the principal value.
    Raises `Refused` if the exponent or the rounding errors are too large.
    """
    if abs(exponent) > MAX_POWER:
        raise Refused("the power of a gate must be at most {}".format(MAX_POWER))
    if exponent == int(exponent):
        base = matrix if exponent >= 0 else matrix.conj().T
        made = np.linalg.matrix_power(base, int(abs(exponent)))
    else:
        phases, vectors = _eigenphases(matrix)
        made = (vectors * np.exp(1j * exponent * phases)) @ vectors.conj().T
    if np.abs(made @ made.conj().T - np.eye(len(made))).max() > INEXACT:
        raise Refused(_INEXACT_POWER)
    return np.asarray(made)


def _eigenphases(matrix: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Return the eigenphases of a unitary in (-pi, pi], and its eigenvectors as columns of a matrix."""
    for turn in _TURNED:
        # the Hermitian part of the rotated matrix has the same eigenvectors, but does not separate phases a and b with
        # a - turn = turn - b; another rotation does
        turned = cmath.exp(-1j * turn) * matrix
        _, vectors = np.linalg.eigh((turned + turned.conj().T) / 2)
        inside = vectors.conj().T @ matrix @ vectors
        values = np.diag(inside)
        if np.abs(inside - np.diag(values)).max() < INEXACT:
            phases = np.angle(values)
            phases[phases < INEXACT - math.pi] += 2 * math.pi  # pi, up to rounding
            return phases, vectors
    raise Refused(_INEXACT_POWER)


def _p(lam: float) -> np.ndarray:
    return np.diag([1, cmath.exp(1j * lam)])


def _rx(theta: float) -> np.ndarray:
    cosine, sine = math.cos(theta / 2), math.sin(theta / 2)
    return np.array([[cosine, -1j * sine], [-1j * sine, cosine]])


def _ry(theta: float) -> np.ndarray:
    cosine, sine = math.cos(theta / 2), math.sin(theta / 2)
    return np.array([[cosine, -sine], [sine, cosine]], dtype=complex)


def _rz(lam: float) -> np.ndarray:
    return np.diag([cmath.exp(-0.5j * lam), cmath.exp(0.5j * lam)])


def _cu(theta: float, phi: float, lam: float, gamma: float) -> np.ndarray:
    return controlled(cmath.exp(1j * (gamma - theta / 2)) * u(theta, phi, lam), 1)


def _u3(theta: float, phi: float, lam: float) -> np.ndarray:
    return cmath.exp(-0.5j * (phi + lam + theta)) * u(theta, phi, lam)


def _with_control(gate: Gate) -> Gate:
    angles, matrix = gate
    return angles, lambda *given: controlled(matrix(*given), 1)


_FIXED = {
    "x": np.array([[0, 1], [1, 0]], dtype=complex),
    "y": np.array([[0, -1j], [1j, 0]]),
    "z": np.diag([1, -1]).astype(complex),
    "h": np.array([[1, 1], [1, -1]], dtype=complex) / math.sqrt(2),
    "s": np.diag([1, 1j]),
    "sdg": np.diag([1, -1j]),
    "t": _p(math.pi / 4),
    "tdg": _p(-math.pi / 4),
    "sx": np.array([[1 + 1j, 1 - 1j], [1 - 1j, 1 + 1j]]) / 2,
    "swap": np.eye(4, dtype=complex)[[0, 2, 1, 3]],
    "id": np.eye(2, dtype=complex),
}
_PLAIN: Dict[str, Gate] = {
    **{name: (0, partial(np.copy, matrix)) for name, matrix in _FIXED.items()},
    "p": (1, _p),
    "rx": (1, _rx),
    "ry": (1, _ry),
    "rz": (1, _rz),
    "phase": (1, _p),
    "u1": (1, _p),
}
STANDARD: Dict[str, Gate] = {
    **_PLAIN,
    **{"c" + name: _with_control(_PLAIN[name]) for name in ("x", "y", "z", "h", "p", "rx", "ry", "rz", "swap")},
    "CX": _with_control(_PLAIN["x"]),
    "ccx": _with_control(_with_control(_PLAIN["x"])),
    "cphase": _with_control(_PLAIN["p"]),
    "cu": (4, _cu),
    "u2": (2, partial(_u3, math.pi / 2)),
    "u3": (3, _u3),
}
"""The gates of stdgates.inc."""

SAME = {"U": "u", "CX": "cx", "phase": "p", "cphase": "cp", "u1": "p", "u2": "u", "u3": "u"}
"""The names of gates in observations, keyed by the name in OpenQASM 3, for gates whose two names differ."""
_TURNS = {
    "z": ("z", 1.0),
    "s": ("z", 0.5),
    "sdg": ("z", -0.5),
    "t": ("z", 0.25),
    "tdg": ("z", -0.25),
    "x": ("x", 1.0),
    "sx": ("x", 0.5),
    "sxdg": ("x", -0.5),
}
"""Each gate that is a power of X or Z, with the base gate and the exponent."""
_CONTROLLED = {
    **{name: "c" + name for name in ("x", "y", "z", "h", "p", "s", "sdg", "sx", "rx", "ry", "rz", "u", "swap")},
    "cx": "ccx",
    "cz": "ccz",
    "gphase": "p",
    "cp": "mcphase",
    "id": "id",
}


def renamed(counts: Mapping[str, int], name: Callable[[str], Optional[str]]) -> Dict[str, int]:
    """Rename the operations in `counts`, which maps names of operations to numbers of operations. The function `name`
    returns the new name of an operation; if the function returns None, the operation is counted as "unitary".
    """
    found: Dict[str, int] = {}
    for old, times in counts.items():
        new = name(old) or "unitary"
        found[new] = found.get(new, 0) + times
    return found


def counts_of_power(counts: Mapping[str, int], exponent: float) -> Dict[str, int]:
    """Return the number of operations of each name in a gate that is raised to the power `exponent`. `counts`: the
    number of operations of each name in the gate before it is raised to the power `exponent`.
    """
    if sum(counts.values()) == 1:
        return renamed(counts, lambda name: _power_name(name, exponent))
    return renamed(counts, inverse_name) if exponent == -1 else {"unitary": 1}


def inverse_name(name: str) -> str:
    return _power_name(name, -1) or name


def _power_name(name: str, exponent: float) -> Optional[str]:
    base, turns = _TURNS.get(name, (name, 1.0))
    wanted = 1 - (1 - turns * exponent) % 2  # reduced to (-1, 1], since two turns are the identity
    found = next((other for other, power in _TURNS.items() if power == (base, wanted)), None)
    return found or (name if exponent in (1, -1) else None)


def controlled_name(name: str, controls: int) -> Optional[str]:
    """Return the name of the gate that results from adding controls; None if the resulting gate has no name."""
    found: Optional[str] = name
    for _ in range(controls):
        found = _CONTROLLED.get(found) if found is not None else None
    return found
