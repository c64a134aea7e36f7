"""Values between the process of a candidate and the process of its test: JSON on the wire, never a pickle.

A value crosses by what it is made of. `Kind` says how one class is taken apart into simpler values and put together
again; what has no kind cannot cross, and says so. Decoding calls the constructors of these classes and nothing else, so
a process in which no candidate code ran stays one. Bounds: 16 MiB, 40 levels, 500,000 parts.

On the wire: null, booleans, integers, finite floats, strings and lists stand for themselves; everything else is an
object with one key, the tag of its kind. Functions cross as numbers, by which the other side can call them.
"""

from __future__ import annotations

import base64
import collections
import fractions
import functools
import importlib
import json
import math
import sys
import types
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

MOST_BYTES = 16 << 20
MOST_PARTS = 500_000
MOST_LEVELS = 40
MOST_BITS = 4096
"""Of an integer. Longer ones take quadratic time to print."""

FRAMEWORKS = ("numpy", "qiskit", "cirq", "pennylane")
CALLABLE = "callable"
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial)


class CannotCross(Exception):  # noqa: N818 - no error: such a value is judged in another way
    """A value that the codec has no form for, or too large for it."""


class Kind(NamedTuple):
    """How the values of one class cross."""

    tag: str
    apart: Callable[[Any], Any]
    """The simpler value that stands for a value."""
    together: Callable[[Any], Any]
    """The reverse. What it is given may be anything: it raises for what it cannot use."""


def _special_float(text: str) -> float:
    return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[text]


PLAIN: Dict[type, Kind] = {
    complex: Kind("complex", lambda z: [z.real, z.imag], lambda parts: complex(*parts)),
    bytes: Kind("bytes", lambda data: base64.b64encode(data).decode(), base64.b64decode),
    tuple: Kind("tuple", list, tuple),
    set: Kind("set", list, set),
    frozenset: Kind("frozenset", list, frozenset),
    range: Kind("range", lambda r: [r.start, r.stop, r.step], lambda parts: range(*parts)),
    slice: Kind("slice", lambda s: [s.start, s.stop, s.step], lambda parts: slice(*parts)),
    dict: Kind("dict", lambda d: [[key, value] for key, value in d.items()], dict),
    collections.Counter: Kind("Counter", dict, collections.Counter),
    collections.OrderedDict: Kind("OrderedDict", dict, collections.OrderedDict),
    collections.deque: Kind("deque", lambda d: [list(d), d.maxlen], lambda parts: collections.deque(*parts)),
    fractions.Fraction: Kind(
        "Fraction", lambda f: [f.numerator, f.denominator], lambda parts: fractions.Fraction(*parts)
    ),
}
"""By exact class."""

Family = Tuple[Callable[[Any], bool], Kind]
"""Kinds of values of many classes: which ones, and how. Asked in order, after the exact classes."""


class Table:
    """The kinds of the standard library and of the frameworks that are imported."""

    def __init__(self) -> None:
        self.exact = dict(PLAIN)
        self.families: List[Family] = []
        for name in FRAMEWORKS:
            if name not in sys.modules:
                continue
            try:
                module = importlib.import_module(".codecs.%s_kinds" % name, __package__)
                exact, families = module.exact(), module.families()
            except (ImportError, AttributeError):  # another version than we know: its values cannot cross
                continue
            self.exact.update(exact)
            self.families += families
        kinds = [*self.exact.values(), *(kind for _, kind in self.families)]
        self.by_tag = {kind.tag: kind for kind in kinds}

    def kind(self, value: Any) -> Optional[Kind]:
        found = self.exact.get(type(value))
        return found or next((kind for belongs, kind in self.families if belongs(value)), None)


_table: List[Table] = []


def table() -> Table:
    """The table of this process; made once, in the fork server, after the frameworks were imported."""
    if not _table:
        _table.append(Table())
    return _table[0]


def encode(value: Any, handle: Optional[Callable[[Any], Any]] = None) -> Any:
    """The JSON form of a value. Raises CannotCross. `handle`: gives what stands for a function."""
    return _Encoder(handle).encode(value, 0)


def decode(data: Any, function: Optional[Callable[[Any], Any]] = None) -> Any:
    """The value of a JSON form, which may be anything. Raises CannotCross. `function`: the reverse of `handle`."""
    try:
        return _decoded(data, function, 0)
    except (CannotCross, MemoryError):
        raise
    except Exception as error:  # a constructor that was given nonsense
        raise CannotCross("%s: %s" % (type(error).__name__, error)) from error


class _Encoder:
    def __init__(self, handle: Optional[Callable[[Any], Any]]) -> None:
        self._handle = handle
        self._parts = 0
        self._bytes = 0

    def encode(self, value: Any, level: int) -> Any:
        self._parts += 1
        if level > MOST_LEVELS or self._parts > MOST_PARTS:
            raise CannotCross("the value is too large or too deep")
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is str:
            self._count(len(value))
            return value
        if kind is int:
            if value.bit_length() > MOST_BITS:
                raise CannotCross("an integer of %d bits" % value.bit_length())
            return value
        if kind is float:
            return value if math.isfinite(value) else {"float": str(value)}
        if kind is list:
            return [self.encode(item, level + 1) for item in value]
        known = table().kind(value)
        if known is not None:
            return {known.tag: self.encode(self._apart(known, value), level + 1)}
        if self._handle is not None and isinstance(value, FUNCTIONS):
            return {CALLABLE: self._handle(value)}
        raise CannotCross("a value of %s.%s" % (kind.__module__, kind.__qualname__))

    def _apart(self, kind: Kind, value: Any) -> Any:
        try:
            return kind.apart(value)
        except (CannotCross, MemoryError):
            raise
        except Exception as error:
            raise CannotCross("%s: %s: %s" % (kind.tag, type(error).__name__, error)) from error

    def _count(self, size: int) -> None:
        self._bytes += size
        if self._bytes > MOST_BYTES:
            raise CannotCross("the value is too large")


def _decoded(data: Any, function: Optional[Callable[[Any], Any]], level: int) -> Any:
    if level > 2 * MOST_LEVELS:
        raise CannotCross("the value is too deep")
    if isinstance(data, list):
        return [_decoded(item, function, level + 1) for item in data]
    if not isinstance(data, dict):
        return data
    ((tag, parts),) = data.items()
    if tag == "float":
        return _special_float(parts)
    if tag == CALLABLE and function is not None:
        return function(parts)
    return table().by_tag[tag].together(_decoded(parts, function, level + 1))


def same(data: Any, other: Any) -> bool:
    """Whether two JSON forms are of one value, told by their text: nan is nan, 1 is not True."""
    return json.dumps(data) == json.dumps(other)
