"""Convert objects of optional libraries, such as Matplotlib. A program may import an optional library after the fork
server has started.

An encoded value contains the name of the library (the outer tag), the tag of the value's class, and the parts of the
value. The module that converts the values of a library is imported when the first value of that library is encoded or
decoded.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any, List

from ..kinds import CannotCross, Family, Kind, Table, kinds_of

LIBRARIES = {"matplotlib": "matplotlib", "qiskit_aer": "aer", "qiskit_ibm_runtime": "runtime"}
"""Maps each library to the module that converts the library's values. The suffix `_kinds` is omitted from the module's
name."""


def families() -> List[Family]:
    return [_family(library) for library in LIBRARIES]


def _family(library: str) -> Family:
    def to_parts(value: Any) -> List[Any]:
        kind: Any = _table(library).kind(value, type(value).__mro__)
        return [kind.tag, kind.to_parts(value)]

    def from_parts(parts: Any) -> Any:
        tag, data = parts
        return _table(library).by_tag[tag].from_parts(data)

    return functools.partial(_belongs, library), Kind(library, to_parts, from_parts)


def _belongs(library: str, value: Any) -> bool:
    classes = type(value).__mro__
    is_the_librarys = any(str(kind.__module__).split(".")[0] == library for kind in classes)
    return is_the_librarys and _table(library).kind(value, classes) is not None


@functools.lru_cache(maxsize=None)
def _table(library: str) -> Table:
    """Return the table of conversions for instances of a library's classes.

    Raises CannotCross if the library is missing or has an unknown version.
    """
    try:
        return Table(*kinds_of(importlib.import_module(".%s_kinds" % LIBRARIES[library], __package__)))
    except (ImportError, AttributeError) as error:
        raise CannotCross("%s: %s" % (library, error)) from error
