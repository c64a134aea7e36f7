"""The compact, unrounded form of states, unitaries and circuits in `attempts.jsonl`.

The numbers are stored as little-endian float64 (real and imaginary parts alternate; a unitary is stored row by row),
compressed with zlib and encoded in base64. `numpy.frombuffer(..., "<c16")` reads the unpacked bytes. The operations of
a circuit are written as JSON, and this JSON text is compressed with zlib and encoded in base64.
"""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Callable
from typing import Any

_MAX_PAIRS = 2**22
"""Maximum number of complex numbers in one value; the executors' own limit (`Limits.value_mb`) is lower."""
_MAX_TEXT = 2**24
"""Maximum number of bytes for the operations of one circuit; the executors' own limit is lower."""
_EXPONENTS = {"amplitudes": 1, "matrix": 2}
"""The factor of n in the exponent of a value's size. A state of n qubits (`amplitudes`) consists of 2**n complex
numbers, and a unitary of n qubits (`matrix`) consists of 2**(2*n) complex numbers."""


def packed(value: Any) -> Any:
    """Return the value of an outcome in its on-disk form.

    Values other than states, unitaries and circuits stay as they are.
    """
    return _cases(value, _packed)


def unpacked(value: Any) -> Any:
    left = _MAX_PAIRS

    def form(case: dict[str, Any]) -> dict[str, Any]:
        nonlocal left
        if case.get("kind") == "circuit" and isinstance(case.get("operations"), str):
            return {**case, "operations": _operations(case["operations"])}
        name = next((name for name in ("amplitudes", "matrix") if isinstance(case.get(name), str)), None)
        if name is None:
            return case
        qubits = case.get("qubits")
        if type(qubits) is not int or not 0 <= qubits < 64 or (count := 1 << _EXPONENTS[name] * qubits) > left:
            raise ValueError("a stored state or unitary is corrupt: it contains too many numbers")
        left -= count
        pairs, side = _pairs(case[name], count), 1 << qubits
        rows = [pairs[start : start + side] for start in range(0, count, side)]
        return {**case, name: pairs if name == "amplitudes" else rows}

    return _cases(value, form)


def _cases(value: Any, form: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    if not isinstance(value, dict) or not isinstance(value.get("cases"), list):
        return value
    return {**value, "cases": [form(case) if isinstance(case, dict) else case for case in value["cases"]]}


def _packed(case: dict[str, Any]) -> dict[str, Any]:
    try:
        if case.get("kind") == "state":
            return {**case, "amplitudes": _text(case["amplitudes"], 1 << case["qubits"])}
        if case.get("kind") == "unitary":
            side = 1 << case["qubits"]
            if {len(row) for row in case["matrix"]} == {side}:
                return {**case, "matrix": _text([pair for row in case["matrix"] for pair in row], side * side)}
        if case.get("kind") == "circuit":
            return {**case, "operations": _encoded(json.dumps(case["operations"]).encode())}
    except (KeyError, TypeError, ValueError, struct.error):
        pass  # not an observation of an executor: written unchanged
    return case


def _text(pairs: list[list[float]], count: int) -> str:
    numbers = [number for real, imaginary in pairs for number in (real, imaginary)]
    return _encoded(struct.pack(f"<{2 * count}d", *numbers))


def _encoded(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data)).decode("ascii")


def _operations(text: str) -> Any:
    try:
        return json.loads(zlib.decompressobj().decompress(base64.b64decode(text), _MAX_TEXT))  # bounded
    except (ValueError, RecursionError, zlib.error) as error:
        raise ValueError(f"the stored operations of a circuit are corrupt: {error}") from None


def _pairs(text: str, count: int) -> list[list[float]]:
    try:
        data = zlib.decompressobj().decompress(base64.b64decode(text), 16 * count + 1)  # bounded
        numbers = struct.unpack(f"<{2 * count}d", data)
        return [list(pair) for pair in zip(numbers[::2], numbers[1::2], strict=True)]
    except (struct.error, zlib.error) as error:
        raise ValueError(f"a stored state or unitary is corrupt: {error}") from None
