"""Encode values that a candidate's process and its test's process exchange, as JSON and never as pickles.

A `Kind` converts the values of one class into simpler values, such as lists, and back. If there is no `Kind` for the
class of a value, the `Kind` of the nearest base class is used. For example, an instance of a subclass of dict is read
with dict's methods and becomes a dict. If there is no `Kind` for any base class, the value stays in its process, and a
`Link` sends only a reference to the value. The decoder calls only the constructors of classes for which there is a
`Kind`, so it never runs a candidate's code. Limits: 16 MiB, 40 levels, 500,000 parts.

In a message, null, booleans, integers, finite floats, strings and lists represent themselves. Any other value is
represented by an object with one key, which is the tag of the value's `Kind`.
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
import json
import math
import sys
from typing import Any, Callable, Dict, FrozenSet, List, NamedTuple, Optional, Tuple

MAX_BYTES = 16 << 20
MAX_PARTS = 500_000
MAX_LEVELS = 40
MAX_BITS = 4096
"""The maximum number of bits of an integer. The limit is needed because the time to print an integer grows
quadratically."""
MAX_DIGITS = 1000
"""The maximum number of digits of a `Decimal`."""
LARGEST = 1e150
"""The maximum absolute value of a floating-point number, chosen so that the square of the number is finite."""

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


class Link:
    """Sends and receives references to values between the candidate's process and the test's process.

    A value that is sent as a reference stays in its own process. This base class refuses all references.
    """

    tags: FrozenSet[str] = frozenset()
    """The tags that `arrive` reads."""
    trusts = False
    """Whether the other process is trusted. Values from a trusted process may have functions as attributes, and may
    contain numbers of any size."""

    def knows(self, value: Any) -> bool:  # noqa: ARG002
        """Whether to send only a reference to the value, even if there is a `Kind` for a base class of the value's
        class.
        """
        return False

    def leave(self, value: Any, encode: Callable[[Any], Any]) -> Any:  # noqa: ARG002
        """Return the JSON form of a reference to a value.

        `encode`: a function that encodes parts of the value. Raises CannotCross.
        """
        raise CannotCross("class %s.%s cannot be encoded" % (type(value).__module__, type(value).__qualname__))

    def arrive(self, tag: str, data: Any, decode: Callable[[Any], Any]) -> Any:  # noqa: ARG002
        """Convert a reference from the other process into an object in this process. Raises CannotCross."""
        raise CannotCross("unknown type %r" % tag)


NOTHING_STAYS = Link()

FACTORIES = {kind.__name__: kind for kind in (int, float, str, bool, list, dict, set, tuple)}
"""The permitted default factories of a defaultdict."""
SPECIAL_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


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


def encode(value: Any, link: Link = NOTHING_STAYS, *, any_number: bool = False) -> Any:
    """Return the JSON form of a value.

    Raises CannotCross. `any_number`: whether to accept infinite, NaN and huge numbers.
    """
    return _Encoder(link, any_number=any_number or not link.trusts).encode(value, 0)


def decode(data: Any, link: Link = NOTHING_STAYS) -> Any:
    """Decode a value from untrusted JSON data. Raises CannotCross and MemoryError."""
    try:
        return _decoded(data, link, 0)
    except (CannotCross, MemoryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # invalid arguments of a constructor; a Rust panic is not an Exception
        raise CannotCross("%s: %s" % (type(error).__name__, error)) from error


class _Encoder:
    def __init__(self, link: Link, *, any_number: bool) -> None:
        self._link = link
        self._any_number = any_number
        self._parts = 0
        self._bytes = 0

    def encode(self, value: Any, level: int) -> Any:
        self._parts += 1
        if level > MAX_LEVELS or self._parts > MAX_PARTS:
            raise CannotCross("the value is too large, or nested too deeply")
        if not self._any_number:
            bounded(value)
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is str:
            self._bytes += len(value)
            if self._bytes > MAX_BYTES:
                raise CannotCross("the value is too large")
            return value
        if kind is int:
            if value.bit_length() > MAX_BITS:
                raise CannotCross("an integer has too many bits: %d" % value.bit_length())
            return value
        if kind is float:
            return value if math.isfinite(value) else {"float": str(value)}
        if kind is list:
            return [self.encode(item, level + 1) for item in value]
        known = table().kind(value)
        if known is None and not self._link.knows(value):
            for base in kind.__mro__[1:]:
                if base in BASES:
                    return self.encode(BASES[base](value), level)
                if base in table().exact:
                    known = table().exact[base]
                    break
        if known is not None:
            try:
                parts = known.to_parts(value)
            except (CannotCross, MemoryError):
                raise
            except Exception as error:
                raise CannotCross("%s: %s: %s" % (known.tag, type(error).__name__, error)) from error
            return {known.tag: self.encode(parts, level + 1)}
        return self._link.leave(value, lambda part: self.encode(part, level + 2))


def _decoded(data: Any, link: Link, level: int) -> Any:
    if level > 2 * MAX_LEVELS:
        raise CannotCross("the value is nested too deeply")
    if isinstance(data, list):
        return [_decoded(item, link, level + 1) for item in data]
    if not isinstance(data, dict):
        return data if link.trusts else bounded(data)
    ((tag, parts),) = data.items()
    if tag == "float":
        special = SPECIAL_FLOATS[parts]
        return special if link.trusts else bounded(special)
    if tag in link.tags:
        return link.arrive(tag, parts, lambda part: _decoded(part, link, level + 1))
    kind, found = table().by_tag[tag], _decoded(parts, link, level + 1)
    if link.trusts:
        return kind.from_parts(found)
    if not kind.holds_functions and _has_function(found):
        raise CannotCross("a %s contains a function" % tag)
    value = bounded(kind.from_parts(found))
    if tag == "namedtuple" and not all(map(may_bear, value._fields, value)):
        return tuple(value)  # a callable field would replace a method of the same name
    return value


def bounded(value: Any) -> Any:
    """Return the value unchanged. Raises CannotCross if a number in the value is infinite, NaN or too large.

    Huge numbers could make a tolerance overflow to infinity, and a test would then accept any value as close enough.
    Python's integers and fractions need no limit, because they are exact. Python raises OverflowError when an integer
    or a fraction is too large to convert to a float.
    """
    if isinstance(value, (float, complex)):
        if not (abs(value.real) <= LARGEST and abs(value.imag) <= LARGEST):
            raise CannotCross("a number is infinite, NaN or too large")
    elif isinstance(value, decimal.Decimal):
        if not value.is_finite() or not abs(value) <= decimal.Decimal(LARGEST):
            raise CannotCross("a decimal number is infinite, NaN or too large")
    elif "numpy" in sys.modules:
        _check_array(value, sys.modules["numpy"])
    return value


def _check_array(value: Any, numpy: Any) -> None:
    if not isinstance(value, (numpy.ndarray, numpy.generic)) or value.dtype.kind not in "fci":
        return
    if value.dtype.kind == "i":  # the absolute value of the smallest integer overflows to itself
        limit = numpy.iinfo(value.dtype).max // 2
        inside = value.size == 0 or (-limit <= value.min() and value.max() <= limit)
    else:
        limit = min(LARGEST, float(numpy.finfo(value.dtype).max) ** 0.5)
        with numpy.errstate(all="ignore"):
            inside = bool(numpy.abs(value).max(initial=0.0) <= limit)
    if not inside:
        raise CannotCross("an array contains a number that is infinite, NaN or too large")


def _has_function(value: Any) -> bool:
    """Whether a value is or contains a function. Other values than containers were checked when they were decoded."""
    if isinstance(value, dict):
        return any(_has_function(part) for pair in value.items() for part in pair)
    if isinstance(value, (list, tuple, set, frozenset)):
        return any(map(_has_function, value))
    return is_function(value)


def is_function(value: Any) -> bool:
    """Whether a value is a function. Callable objects of a library, such as operators or passes, are not treated as
    functions.
    """
    return callable(value) and (type(value).__module__ in ("builtins", "functools") or hasattr(value, "__remote__"))


def may_bear(name: str, value: Any) -> bool:
    """Whether an object may have an attribute with this name and value.

    The value of an attribute must not be a function, because a function could replace a method of the object. The value
    may be another callable object, unless a class in the table of conversions has a method with the name of the
    attribute. If a callable object replaced a method, a test that calls the method would call the callable object
    instead, and might pass the expected value to the callable object.
    """
    return not callable(value) or not (is_function(value) or name in table().methods)


def same(data: Any, other: Any) -> bool:
    """Whether two values serialise to the same JSON text. For example, NaN equals NaN, but 1 differs from True."""
    return json.dumps(data) == json.dumps(other)
