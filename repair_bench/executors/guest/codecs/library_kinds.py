"""Values of libraries that a program may import later than its fork server: their kinds are read when first needed.

Each library's values cross under the library's name, as the tag of their kind and their parts. A library costs nothing
until one of its values crosses; the modules of kinds are like the frameworks' own (`exact` and `families`).
"""

from __future__ import annotations

import functools
import importlib
from typing import Any, Dict, List

from ..codec import CannotCross, Family, Kind

LIBRARIES = {"matplotlib": "matplotlib", "qiskit_aer": "aer", "qiskit_ibm_runtime": "runtime"}
"""By library, the name of its module of kinds."""


def exact() -> Dict[type, Kind]:
    return {}


def families() -> List[Family]:
    return [_family(library) for library in LIBRARIES]


def _family(library: str) -> Family:
    def apart(value: Any) -> List[Any]:
        kind = _kind_of(library, value)
        if kind is None:
            raise CannotCross("a value of %s.%s" % (type(value).__module__, type(value).__qualname__))
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
    module = _module(library)
    own = module.exact()
    found = next((own[kind] for kind in type(value).__mro__ if kind in own), None)
    return found or next((kind for belongs, kind in module.families() if belongs(value)), None)


@functools.lru_cache(maxsize=None)
def _by_tag(library: str) -> Dict[str, Kind]:
    module = _module(library)
    return {kind.tag: kind for kind in [*module.exact().values(), *(kind for _, kind in module.families())]}


@functools.lru_cache(maxsize=None)
def _module(library: str) -> Any:
    """The kinds of a library. Raises CannotCross where it is absent, or another version than we know."""
    try:
        return importlib.import_module(".%s_kinds" % LIBRARIES[library], __package__)
    except (ImportError, AttributeError) as error:
        raise CannotCross("%s: %s" % (library, error)) from error
