"""Convert Cirq's objects to Cirq's JSON.

Reading this JSON can only create instances of classes that Cirq has registered. SymPy evaluates text as Python code.
Therefore, only numbers, symbols, and expressions that consist of numbers and symbols are read. Pandas objects are
refused.
"""

from __future__ import annotations

import json
from typing import Any, List

import cirq

from ..codec import bounded
from ..kinds import CannotCross, Family, Kind

KIND = "cirq_type"
SYMPY = "sympy."
SYMBOL = "sympy.Symbol"
VALUES = {"ParamResolver": "param_dict", "Points": "points"}
"""The classes that assign values to symbols, each with the name of the attribute that contains the values."""


def families() -> List[Family]:
    return [(_is_cirqs, Kind("cirq", cirq.to_json, _from_json))]


def _is_cirqs(value: Any) -> bool:
    kind = type(value)
    return kind.__module__.split(".")[0] == "cirq" and hasattr(kind, "_json_dict_")


def _from_json(text: Any) -> Any:
    data = json.loads(text)
    _check(data)
    return cirq.read_json(json_text=json.dumps(data))  # removes repeated keys, whose values were not checked


def _check(data: Any) -> None:
    """Raise CannotCross for text that SymPy would evaluate, for pandas objects, and for excessively large numbers."""
    bounded(data)
    if isinstance(data, list):
        for part in data:
            _check(part)
    if not isinstance(data, dict):
        return
    kind = str(data.get(KIND, ""))
    parts = {name: part for name, part in data.items() if name != KIND}
    if kind.startswith("pandas."):
        raise CannotCross("a value of pandas")
    if kind == SYMBOL and not (set(parts) == {"name"} and isinstance(parts["name"], str)):
        raise CannotCross("invalid symbol")
    if kind.startswith(SYMPY) and kind != SYMBOL:
        _check_numbers(list(parts.values()))
    if kind in VALUES:
        _check_numbers(_values(parts.get(VALUES[kind])))
    _check(list(parts.values()))


def _check_numbers(parts: List[Any]) -> None:
    """Raise CannotCross if a list or a nested list contains anything other than numbers and SymPy objects."""
    for part in parts:
        if isinstance(part, list):
            _check_numbers(part)
        elif isinstance(part, dict):
            if part.get(KIND) != "complex" and not str(part.get(KIND, "")).startswith(SYMPY):
                raise CannotCross("an expression contains parts other than numbers and symbols")
        elif not isinstance(part, (bool, int, float)):
            raise CannotCross("an expression contains text")


def _values(parts: Any) -> List[Any]:
    if not isinstance(parts, list):
        raise CannotCross("invalid values of symbols")
    return [part[-1] if isinstance(part, list) and part else part for part in parts]
