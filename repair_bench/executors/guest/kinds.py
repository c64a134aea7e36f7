"""Conversions between the values of a class and simpler values, which the codec can represent in JSON.

If there is no `Kind` for the class of a value, the `Kind` of the nearest base class is used. For example, an instance
of a subclass of dict is read with dict's methods and becomes a dict.
"""

from __future__ import annotations

import base64
import collections
import contextlib
import decimal
import enum
import fractions
import functools
import importlib
import inspect
import sys
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

MAX_DIGITS = 1000
"""The maximum number of digits of a `Decimal`."""
FRAMEWORKS = ("numpy", "qiskit", "cirq", "pennylane")
LATER = "library"
"""The first part of the module name `library_kinds`. The module converts values whose classes are defined in optional
libraries. A program may import an optional library after the fork server has started."""


class CannotCross(Exception):  # noqa: N818 - not an error: such a value stays in its process
    """Raised for a value that cannot be encoded or decoded, or that is too large."""


class Kind(NamedTuple):
    """A two-way conversion between the values of one class and simpler values, such as lists, numbers and text."""

    tag: str
    to_parts: Callable[[Any], Any]
    """Convert a value of the class into a simpler value, such as a list of its attributes."""
    from_parts: Callable[[Any], Any]
    """Recreate an instance of the class from the result of `to_parts`. Raises an exception for unusable arguments."""
    holds_functions: bool = False
    """Whether the result of `to_parts` may contain functions. By default, functions are refused, because a function
    could replace a method of the instance."""


def by_parts(kind: Callable[..., Any], to_parts: Callable[[Any], Any], *, holds_functions: bool = False) -> Kind:
    return Kind(kind.__name__, to_parts, lambda parts: kind(*parts), holds_functions)


def by_attributes(kind: type, *names: str) -> Kind:
    return by_parts(kind, lambda value: [getattr(value, name) for name in names])


FACTORIES = {kind.__name__: kind for kind in (int, float, str, bool, list, dict, set, tuple)}
"""The permitted default factories of a defaultdict."""


def _factory(value: Any) -> Optional[str]:
    return next((name for name, kind in FACTORIES.items() if value.default_factory is kind), None)


def _decimal(text: str) -> decimal.Decimal:
    if len(text) > MAX_DIGITS:
        raise CannotCross("a decimal number has too many digits: %d" % len(text))
    return decimal.Decimal(text)


def _bytearray(data: Any) -> bytearray:
    if type(data) is not bytes:  # bytearray(n) would create n zeros
        raise CannotCross("not bytes")
    return bytearray(data)


PLAIN: Dict[type, Kind] = {
    complex: by_attributes(complex, "real", "imag"),
    bytes: Kind("bytes", lambda data: base64.b64encode(data).decode(), base64.b64decode),
    bytearray: Kind("bytearray", bytes, _bytearray),
    tuple: Kind("tuple", list, tuple, holds_functions=True),
    set: Kind("set", list, set, holds_functions=True),
    frozenset: Kind("frozenset", list, frozenset, holds_functions=True),
    range: by_attributes(range, "start", "stop", "step"),
    slice: by_attributes(slice, "start", "stop", "step"),
    dict: Kind("dict", lambda d: [[key, value] for key, value in d.items()], dict, holds_functions=True),
    collections.Counter: Kind("Counter", lambda d: dict(dict.items(d)), collections.Counter),
    collections.OrderedDict: Kind(
        "OrderedDict", lambda d: dict(dict.items(d)), collections.OrderedDict, holds_functions=True
    ),
    collections.defaultdict: Kind(
        "defaultdict",
        lambda d: [_factory(d), dict(dict.items(d))],
        lambda parts: collections.defaultdict(None if parts[0] is None else FACTORIES[parts[0]], parts[1]),
        holds_functions=True,
    ),
    collections.deque: by_parts(collections.deque, lambda d: [list(d), d.maxlen], holds_functions=True),
    fractions.Fraction: by_attributes(fractions.Fraction, "numerator", "denominator"),
    decimal.Decimal: Kind("Decimal", str, _decimal),
    type({}.keys()): Kind("keys", list, lambda items: dict.fromkeys(items).keys(), holds_functions=True),
    type({}.values()): Kind("values", list, lambda items: dict(enumerate(items)).values(), holds_functions=True),
    type({}.items()): Kind("items", list, lambda items: dict(items).items(), holds_functions=True),
    type(Ellipsis): Kind("ellipsis", lambda _: None, lambda _: Ellipsis),
}
"""Maps classes to their `Kind`. An entry does not apply to instances of subclasses."""

BASES: Dict[type, Callable[[Any], Any]] = {
    int: int.__index__,
    float: float.__float__,
    complex: lambda z: complex(complex.real.__get__(z), complex.imag.__get__(z)),
    str: str.__str__,
    bytes: lambda data: bytes(memoryview(data)),
    list: lambda items: list(list.__iter__(items)),
    tuple: lambda items: tuple(tuple.__iter__(items)),
    set: lambda items: set(set.__iter__(items)),
    frozenset: lambda items: frozenset(frozenset.__iter__(items)),
    dict: lambda items: dict(dict.items(items)),
}
"""Functions that convert an instance of a subclass to the base class without calling methods of the subclass."""

Family = Tuple[Callable[[Any], bool], Kind]
"""A predicate, and the `Kind` for all values that satisfy the predicate. Families are used only if there is no `Kind`
for the value's own class. If a value satisfies the predicates of several families, the first of these families is
used."""


def _named_tuple(parts: Any) -> Any:
    name, fields, items = parts
    if not all(type(field) is str for field in (name, *fields)):
        raise CannotCross("invalid names")
    return collections.namedtuple(name, fields)(*items)  # noqa: PYI024 - refuses invalid identifiers


def _member(parts: Any) -> enum.Enum:
    module, kind, name = parts
    found = getattr(sys.modules[module], kind)
    if not _is_a_frameworks(module) or not issubclass(found, enum.Enum):
        raise CannotCross("not an enumeration")
    member: enum.Enum = found[name]
    return member


def _is_a_frameworks(module: Any) -> bool:
    return isinstance(module, str) and module.split(".")[0] in FRAMEWORKS


def kinds_of(module: Any) -> Tuple[Dict[type, Kind], List[Family]]:
    """Return the two sets of conversions that a module in `codecs` defines.

    The first set maps classes to their `Kind`. The second set is a list of conversions of type `Family`.
    """
    return getattr(module, "exact", dict)(), getattr(module, "families", list)()


COMMON: List[Family] = [
    (
        lambda value: isinstance(value, tuple) and hasattr(type(value), "_fields"),
        Kind(
            "namedtuple",
            lambda t: [type(t).__name__, list(type(t)._fields), list(tuple.__iter__(t))],
            _named_tuple,
            holds_functions=True,
        ),
    ),
    (
        lambda value: isinstance(value, enum.Enum) and _is_a_frameworks(type(value).__module__),
        Kind("member", lambda value: [type(value).__module__, type(value).__name__, value.name], _member),
    ),
]


class Table:
    """A table of conversions. `exact`: maps classes, without their subclasses, to the `Kind` of the class. `families`:
    see `Family`.
    """

    def __init__(self, exact: Dict[type, Kind], families: List[Family]) -> None:
        self.exact = exact
        self.families = families
        self.by_tag = {kind.tag: kind for kind in [*exact.values(), *(kind for _, kind in families)]}
        self.methods = {
            name for known in exact for name in dir(known) if callable(inspect.getattr_static(known, name, None))
        }
        """The names of all methods of the classes in `exact`."""

    def kind(self, value: Any, classes: Optional[Tuple[type, ...]] = None) -> Optional[Kind]:
        """Return the `Kind` that converts a value, or None.

        `classes`: the classes to look up, by default only the value's own class.
        """
        found = next((self.exact[kind] for kind in classes or (type(value),) if kind in self.exact), None)
        return found or next((kind for belongs, kind in self.families if belongs(value)), None)


@functools.lru_cache(maxsize=None)
def table() -> Table:
    """Return the table of conversions for this process. The fork server calls this function after importing the
    frameworks.
    """
    exact, families = dict(PLAIN), list(COMMON)
    for name in (LATER, *(name for name in FRAMEWORKS if name in sys.modules)):
        with contextlib.suppress(ImportError, AttributeError):  # unknown versions: values cannot be encoded
            added = kinds_of(importlib.import_module(".codecs.%s_kinds" % name, __package__))
            exact.update(added[0])
            families += added[1]
    return Table(exact, families)
