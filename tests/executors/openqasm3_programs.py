"""Observations of OpenQASM 3 programs, which tests write without the first lines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from repair_bench.executors.guest.adapters.openqasm3_adapter import RAISES, load, observe

HEAD = 'OPENQASM 3.0;\ninclude "stdgates.inc";\n'


def observed(body: str, what: str = "distribution", qubits: int | None = None, **inputs: Any) -> dict[str, Any]:
    program = load(HEAD + body)
    return observe(lambda: program(inputs), what, qubits)


def probabilities(body: str, **inputs: Any) -> dict[str, float]:
    seen = observed(body, **inputs)
    assert seen["kind"] == "distribution", seen
    return {key: round(p, 9) for key, p in seen["probabilities"].items()}


def state(body: str, qubits: int | None = None) -> np.ndarray:
    seen = observed(body, "state", qubits)
    assert seen["kind"] == "state", seen
    return np.array([complex(*pair) for pair in seen["amplitudes"]])


def matrix(body: str) -> np.ndarray:
    seen = observed(body, "unitary")
    assert seen["kind"] == "unitary", seen
    return np.array([[complex(*pair) for pair in row] for row in seen["matrix"]])


def refused(body: str, **inputs: Any) -> str:
    with pytest.raises(RAISES) as error:
        observed(body, **inputs)
    return str(error.value)
