"""Observations of values by an adapter, in the forms that tests compare."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest


def approx(expected: Any) -> Any:
    return pytest.approx(expected, abs=1e-9)


def readers(observed: Callable[..., Any]) -> tuple[Callable[..., Any], ...]:
    """Return functions for probabilities, amplitudes, a matrix and a problem.

    `observed(value, what, qubits)` returns the observation of a value.
    """

    def read(value: Any, what: str, qubits: int | None, kind: str) -> Any:
        seen = observed(value, what, qubits)
        assert seen["kind"] == kind, seen
        return seen

    def probabilities(value: Any) -> Any:
        return read(value, "distribution", None, "distribution")["probabilities"]

    def amplitudes(value: Any, qubits: int | None = None) -> list[complex]:
        return [complex(*pair) for pair in read(value, "state", qubits, "state")["amplitudes"]]

    def matrix(value: Any, qubits: int | None = None) -> np.ndarray:
        pairs = np.array(read(value, "unitary", qubits, "unitary")["matrix"])
        return pairs[..., 0] + 1j * pairs[..., 1]

    def problem(value: Any, what: str = "distribution", qubits: int | None = None) -> Any:
        return read(value, what, qubits, "other")["problem"]

    return probabilities, amplitudes, matrix, problem
