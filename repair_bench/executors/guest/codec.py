"""Encode values that a candidate's process and its test's process exchange, as JSON and never as pickles.

A value whose class has no `Kind`, and no base class with a `Kind`, stays in its process, and a `Link` sends only a
reference to the value. The decoder calls only the constructors of classes for which there is a `Kind`, so it never runs
a candidate's code. Limits: 16 MiB, 40 levels, 500,000 parts.

In a message, null, booleans, integers, finite floats, strings and lists represent themselves. Any other value is
represented by an object with one key, which is the tag of the value's `Kind`.
"""

from __future__ import annotations

import decimal
import json
import math
import sys
from typing import Any, Callable, FrozenSet

from .kinds import BASES, CannotCross, table

MAX_BYTES = 16 << 20
MAX_PARTS = 500_000
MAX_LEVELS = 40
MAX_BITS = 4096
"""The maximum number of bits of an integer. The limit is needed because the time to print an integer grows
quadratically."""
LARGEST = 1e150
"""The maximum absolute value of a floating-point number, chosen so that the square of the number is finite."""
SPECIAL_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


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
