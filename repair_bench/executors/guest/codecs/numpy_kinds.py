"""Convert NumPy arrays and scalars to bytes, except for arrays of objects."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np

from ..kinds import CannotCross, Family, Kind

PLAIN = "biufcSU"
"""The dtype kinds whose items are plain data, not objects."""


def exact() -> Dict[type, Kind]:
    return {np.ndarray: Kind("ndarray", _to_parts, array)}


def families() -> List[Family]:
    scalar = Kind("scalar", lambda value: _to_parts(np.asarray(value)), lambda parts: array(parts)[()])
    return [(lambda value: isinstance(value, np.generic) and type(value).__module__ == "numpy", scalar)]


def _to_parts(value: Any) -> List[Any]:
    if value.dtype.kind not in PLAIN:
        raise CannotCross("an array of %s" % value.dtype)
    return [value.dtype.str, list(value.shape), np.ascontiguousarray(value).tobytes()]


def array(parts: Any) -> Any:
    kind, shape, data = parts
    dtype = np.dtype(kind)
    if dtype.kind not in PLAIN or dtype.hasobject:
        raise CannotCross("an array of %s" % dtype)
    return np.frombuffer(data, dtype).reshape(shape).copy()
