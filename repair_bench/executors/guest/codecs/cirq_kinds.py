"""Cirq's own objects by Cirq's own JSON, which builds nothing but the classes that Cirq knows by name."""

from __future__ import annotations

from typing import Any, Dict, List

import cirq

from ..codec import Family, Kind


def exact() -> Dict[type, Kind]:
    return {}


def families() -> List[Family]:
    return [(_is_cirqs, Kind("cirq", cirq.to_json, lambda text: cirq.read_json(json_text=text)))]


def _is_cirqs(value: Any) -> bool:
    kind = type(value)
    return kind.__module__.split(".")[0] == "cirq" and hasattr(kind, "_json_dict_")
