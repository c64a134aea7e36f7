"""Values of libraries that a program may import later than its fork server: their kinds are read when first needed.

Each library's values cross under the library's name, as the tag of their kind and their parts. A library costs nothing
until one of its values crosses; the modules of kinds are like the frameworks' own (`exact` and `families`).
"""

from __future__ import annotations

import functools
import importlib
from typing import Any, Dict, List, Tuple

from ..codec import CannotCross, Family, Kind, kinds_of

LIBRARIES = {"matplotlib": "matplotlib", "qiskit_aer": "aer", "qiskit_ibm_runtime": "runtime"}
"""By library, the name of its module of kinds."""


def families() -> List[Family]:
    return [_family(library) for library in LIBRARIES]


def _family(library: str) -> Family:
    def apart(value: Any) -> List[Any]:
        kind = _kind_of(library, value)
        return [kind.tag, kind.apart(value)]

    def together(parts: Any) -> Any:
        tag, data = parts
        return _by_tag(library)[tag].together(data)

    return functools.partial(_belongs, library), Kind(library, apart, together)


def _belongs(library: str, value: Any) -> bool:
    """Whether a value is of a library's class, or of a class made of one."""
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
    """Raises CannotCross for a library that is absent, or of an unknown version."""
    try:
        return kinds_of(importlib.import_module(".%s_kinds" % LIBRARIES[library], __package__))
    except (ImportError, AttributeError) as error:
        raise CannotCross("%s: %s" % (library, error)) from error
