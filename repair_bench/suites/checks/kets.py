"""States as text: `0.7071|00> + 0.7071|11>`, qubit 0 leftmost."""

from __future__ import annotations

import numpy as np

from repair_bench.suites.checks.order import Array

SMALL = 5e-5
MAX_TERMS = 16


def ket(amplitudes: Array) -> str:
    """Return a state as a sum of kets: the 16 largest terms, with four digits. Qubit 0 is the most significant bit."""
    qubits = len(amplitudes).bit_length() - 1
    seen = [i for i in range(len(amplitudes)) if abs(amplitudes[i]) > SMALL]
    largest = sorted(sorted(seen, key=lambda i: -abs(amplitudes[i]))[:MAX_TERMS])
    terms = [f"{_number(complex(amplitudes[i]))}{basis(i, qubits)}" for i in largest]
    if len(seen) > len(largest):
        terms.append("...")
    return " + ".join(terms).replace("+ -", "- ") or "0"


def basis(index: int, qubits: int) -> str:
    """Return a basis state, given by its index, as a ket such as `|01>`."""
    return f"|{index:0{qubits}b}>" if qubits else "|>"


def own_phase(state: Array) -> complex:
    """Return the factor by which `state` must be multiplied to make its largest amplitude real and positive.

    If several amplitudes are equally large, the factor makes the first of these amplitudes real and positive.

    The factor is computed from `state` alone. Therefore, if feedback shows the product of this factor and a model's
    answer, the feedback reveals nothing about the phases of the correct state.
    """
    sizes = np.abs(state)
    first = complex(state[int(np.argmax(sizes > sizes.max() - SMALL))])
    return first.conjugate() / abs(first) if first else 1.0


def _number(z: complex) -> str:
    if abs(z.imag) < SMALL:
        return "" if abs(z.real - 1) < SMALL else "-" if abs(z.real + 1) < SMALL else f"{z.real:.4g}"
    if abs(z.real) < SMALL:
        return "i" if abs(z.imag - 1) < SMALL else "-i" if abs(z.imag + 1) < SMALL else f"{z.imag:.4g}i"
    return f"({z.real:.4g}{z.imag:+.4g}i)"
