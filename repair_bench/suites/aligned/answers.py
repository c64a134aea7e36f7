"""The correct answers to a problem in the built-in suite, from the problem's `expected.py`.

`expected.py` is trusted, because it is part of the package.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from repair_bench.suites.checks import Case
from repair_bench.suites.checks.order import Array
from repair_bench.traces.faults import SuiteError

PRECISION = 1e-9


def answers(path: Path, calls: Sequence[tuple[tuple[Any, ...], bool]], kind: str, size: int) -> tuple[Case, ...]:
    """Return the cases in `calls` and the cases that the file's function `hidden_cases` returns, with their correct
    answers.

    `calls`: for each case, the arguments, and whether the case is hidden. `size`: the number of bits of a distribution,
    or of qubits of a state or a unitary. Raises a SuiteError that names the file and the function if no valid answers
    can be computed.
    """
    module = _execute(path)
    expected = module.get("expected")
    if not callable(expected):
        raise SuiteError(f"{path}: the file does not define the function `expected`")
    hidden = _call(path, "hidden_cases", module["hidden_cases"]) if "hidden_cases" in module else []
    try:
        more = [(tuple(json.loads(json.dumps(list(args)))), True) for args in hidden]
    except (TypeError, ValueError) as error:
        raise SuiteError(f"{path}: hidden_cases does not return a list of lists of JSON values: {error}") from error
    read = _distribution if kind == "distribution" else _state if kind == "state" else _unitary
    cases = []
    for args, is_hidden in [*calls, *more]:
        answer = _call(path, "expected", expected, *args)
        try:
            cases.append(Case(args, read(answer, size), hidden=is_hidden))
        except (TypeError, ValueError) as error:
            raise SuiteError(f"{path}: expected: {error} (for {list(args)})") from error
    return tuple(cases)


def _execute(path: Path) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": f"expected_{path.parent.name}", "__file__": str(path)}
    try:
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)  # noqa: S102 - our own file
    except Exception as error:
        raise SuiteError(f"{path}: does not run: {type(error).__name__}: {error}") from error
    return names


def _call(path: Path, name: str, function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as error:
        raise SuiteError(f"{path}: {name}: {type(error).__name__}: {error} (for {list(args)})") from error


def _distribution(answer: Any, bits: int) -> dict[str, float]:
    if not isinstance(answer, Mapping):
        array = np.asarray(answer, dtype=float)
        if array.shape != (2**bits,):
            raise ValueError(f"the answer is neither a dict nor {2**bits} probabilities")
        answer = {format(i, f"0{bits}b"): p for i, p in enumerate(array)}
    probabilities = {str(key): float(p) for key, p in answer.items()}
    if any(len(key) != bits or set(key) - {"0", "1"} for key in probabilities):
        raise ValueError(f"the answer has an outcome that is not a string of {bits} bits")
    in_range = all(-PRECISION <= p <= 1 + PRECISION for p in probabilities.values())
    if not in_range or abs(sum(probabilities.values()) - 1) > PRECISION:
        raise ValueError("the probabilities do not sum to 1")
    return {key: p for key, p in probabilities.items() if p > PRECISION**1.5}


def _state(answer: Any, qubits: int) -> Array:
    state = np.asarray(answer, dtype=np.complex128)
    if state.shape != (2**qubits,):
        raise ValueError(f"the answer is not an array of {2**qubits} amplitudes")
    if not abs(np.linalg.norm(state) - 1) < PRECISION:
        raise ValueError("the state is not normalised")
    return state


def _unitary(answer: Any, qubits: int) -> Array:
    matrix = np.asarray(answer, dtype=np.complex128)
    if matrix.shape != (2**qubits, 2**qubits):
        raise ValueError(f"the answer is not a {2**qubits} x {2**qubits} matrix")
    if not np.abs(matrix.conj().T @ matrix - np.eye(2**qubits)).max() < PRECISION:
        raise ValueError("the matrix is not unitary")
    return matrix
