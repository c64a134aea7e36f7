"""Values of libraries that a program may import after the start of its fork server.

A value crosses under the name of its library, as the tag of its kind and its parts. The kinds of a library are imported
with its first value.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any, Dict, List, Tuple

from ..codec import CannotCross, Family, Kind, kinds_of

LIBRARIES = {"matplotlib": "matplotlib", "qiskit_aer": "aer", "qiskit_ibm_runtime": "runtime"}
"""The module of kinds by library."""


def families() -> List[Family]:
    return [_family(library) for library in LIBRARIES]


def _family(library: str) -> Family:
    def to_parts(value: Any) -> List[Any]:
        kind = _kind_of(library, value)
        return [kind.tag, kind.to_parts(value)]

    def from_parts(parts: Any) -> Any:
        tag, data = parts
        return _by_tag(library)[tag].from_parts(data)

    return functools.partial(_belongs, library), Kind(library, to_parts, from_parts)


def _belongs(library: str, value: Any) -> bool:
    return any(str(kind.__module__).split(".")[0] == library for kind in type(value).__mro__) and (
        _kind_of(library, value) is not None
    )


def _kind_of(library: str, value: Any) -> Any:
    exact, families = _kinds(library)
    found = next((exact[kind] for kind in type(value).__mro__ if kind in exact), None)
    return found or next((kind for belongs, kind in families if belongs(value)), None)


def _by_tag(library: str) -> Dict[str, Kind]:
    exact, families = _kinds(library)
    return {kind.tag: kind for kind in [*exact.values(), *(kind for _, kind in families)]}


@functools.lru_cache(maxsize=None)
def _kinds(library: str) -> Tuple[Dict[type, Kind], List[Family]]:
    """Return the kinds of a library. Raises CannotCross if the library is missing or has an unknown version."""
    try:
        return kinds_of(importlib.import_module(".%s_kinds" % LIBRARIES[library], __package__))
    except (ImportError, AttributeError) as error:
        raise CannotCross("%s: %s" % (library, error)) from error
