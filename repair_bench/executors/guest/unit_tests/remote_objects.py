"""Proxies for functions, iterators and objects of the other process.

Functions and iterators run in the process that owns them. If the codec does not support the class of an object, a
description of the object is sent. The description consists of the name of the class and, if the program defines the
class, the object's attributes. The methods with which the class compares objects, such as `__eq__`, are not part of the
description. For an instance of one of the task's classes, only the attributes are sent.
"""

from __future__ import annotations

import collections.abc
import contextlib
import enum
import functools
import itertools
import types
from typing import Any, Callable, Dict, Iterator, List, Mapping, Set, Tuple

from .. import codec
from ..kinds import CannotCross
from ..text import clean, printed

MAX_OBJECTS = 100_000
"""The maximum number of functions, iterators and objects that each side may send."""
MAX_TEXT = 500
"""The maximum number of characters of a class name and of the `repr` of an object."""
CANDIDATE = "candidate"
"""The name of the module in which the program's classes are defined."""

_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial, type)

CallThere = Callable[[int, Tuple[Any, ...], Dict[str, Any]], Any]


class Opaque:
    """A proxy for an object in the other process.

    Two proxies are equal if their objects have the same class and the same known attributes. A test can read all
    attributes except functions. Other operations, such as `bool` and `len`, raise TypeError.
    """

    __slots__ = ("_attributes", "_kind", "_text")

    def __init__(self, kind: str, text: str) -> None:
        self._kind = kind
        self._text = text
        self._attributes: Dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        attributes = object.__getattribute__(self, "_attributes")
        if name not in attributes:
            raise AttributeError("%s object has no known attribute %r in this process" % (self._kind, name))
        return attributes[name]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Opaque) or not self._attributes:
            return False
        return self._kind == other._kind and self._attributes == other._attributes

    def __hash__(self) -> int:
        return hash(self._kind)

    def __bool__(self) -> bool:
        raise TypeError("this process cannot determine the truth value of a %s object" % self._kind)

    def __repr__(self) -> str:
        return self._text


class OpaqueFunction(Opaque):
    """A proxy for a callable object in the other process."""

    __slots__ = ("_function",)
    __remote__ = True

    def __init__(self, kind: str, text: str, function: Callable[..., Any]) -> None:
        super().__init__(kind, text)
        self._function = function

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._function(*arguments, **keywords)


class RemoteObjects(codec.Link):
    """The functions, iterators and objects that this process has sent to the other process or received from it. Each of
    these functions, iterators and objects is identified by a number.

    `classes`: the task's classes, by name. `call`: a function that calls an object in the other process, given the
    number by which that process identifies the object. `trusts`: see `codec.Link`.
    """

    tags = frozenset({"function", "iterator", "object", "instance", "yours"})

    def __init__(self, call: CallThere, classes: Mapping[str, Any], *, trusts: bool) -> None:
        self.trusts = trusts
        self.classes = classes
        self._call = call
        self._sent: List[Tuple[Any, Callable[..., Any]]] = []
        self._numbers: Dict[int, int] = {}
        self._received: Dict[int, Any] = {}
        self._known: Dict[int, Tuple[int, Any]] = {}
        self._open: Set[int] = set()

    def function(self, number: int) -> Callable[..., Any]:
        """Return the function in this process that the other process identifies by `number`. Raises CannotCross."""
        if not 0 <= number < len(self._sent):
            raise CannotCross("no object with the number %d was sent" % number)
        return self._sent[number][1]

    def knows(self, value: Any) -> bool:
        return id(value) in self._known or self._is_given(value) or isinstance(value, enum.Enum)

    def leave(self, value: Any, encode: Callable[[Any], Any]) -> Any:
        if id(value) in self._known:
            return {"yours": self._known[id(value)][0]}
        if self._is_given(value):
            return {"instance": [type(value).__name__, {name: encode(part) for name, part in _parts(value).items()}]}
        if isinstance(value, _FUNCTIONS) or type(value).__name__ == "ufunc":
            return {"function": self._number(value, value)}
        may_be_false = any(hasattr(type(value), name) for name in ("__bool__", "__len__"))
        if isinstance(value, collections.abc.Iterator) and not may_be_false:  # a proxy of an iterator is always true
            return {"iterator": self._number(value, lambda: list(itertools.islice(value, 1)))}
        attributes = self._attributes(value, encode)
        return {"object": [self._number(value, value), _class_name(value), printed(value), attributes, callable(value)]}

    def large_object(self, value: Any) -> Any:
        """Return the JSON form that replaces a value that is too large to send.

        The JSON form of a large value contains the name of the value's class, but none of the value's content.
        """
        return {"object": [self._number(value, value), _class_name(value), "a large value", {}, False]}

    def arrive(self, tag: str, data: Any, decode: Callable[[Any], Any]) -> Any:
        if tag == "yours":
            self.function(data)
            return self._sent[data][0]
        if tag == "instance":
            name, attributes = data
            return _made(self.classes[name], self._decoded(attributes, decode))
        number = data[0] if tag == "object" else data
        if type(number) is not int or not 0 <= number < MAX_OBJECTS:
            raise CannotCross("invalid object number")
        if tag == "object":
            return self._object(number, data, decode)
        if number not in self._received:
            self._keep(number, self._stub(number) if tag == "function" else self._iterator(number))
        return self._received[number]

    def _object(self, number: int, data: Any, decode: Callable[[Any], Any]) -> Any:
        _, kind, text, attributes, is_function = data
        if not all(isinstance(part, str) and len(part) <= MAX_TEXT for part in (kind, text)):
            raise CannotCross("invalid object class")
        if number not in self._received:
            function = self._stub(number)
            self._keep(number, OpaqueFunction(kind, text, function) if is_function is True else Opaque(kind, text))
        found = self._received[number]
        if not isinstance(found, Opaque):
            raise CannotCross("not an object")
        if attributes:
            object.__setattr__(found, "_attributes", self._decoded(attributes, decode))
        return found

    def _decoded(self, attributes: Any, decode: Callable[[Any], Any]) -> Dict[str, Any]:
        if not isinstance(attributes, dict) or not all(map(_is_attribute, attributes)):
            raise CannotCross("invalid attributes")
        found = {name: decode(part) for name, part in attributes.items()}
        return {name: part for name, part in found.items() if self.trusts or codec.may_bear(name, part)}

    def _is_given(self, value: Any) -> bool:
        return self.classes.get(type(value).__name__) is type(value)

    def _attributes(self, value: Any, encode: Callable[[Any], Any]) -> Dict[str, Any]:
        """Encode the attributes of an object if the program defines the object's class. Omit attributes that cannot be
        encoded.
        """
        if id(value) in self._open or type(value).__module__ not in (CANDIDATE, "types"):
            return {}
        self._open.add(id(value))
        found = {}
        try:
            for name, part in _parts(value).items():
                try:
                    found[name] = encode(part)
                except CannotCross:
                    continue
        finally:
            self._open.discard(id(value))
        return found

    def _number(self, value: Any, function: Callable[..., Any]) -> int:
        if id(value) not in self._numbers:
            if len(self._sent) >= MAX_OBJECTS:
                raise CannotCross("too many functions and objects have been sent")
            self._numbers[id(value)] = len(self._sent)
            self._sent.append((value, function))
        return self._numbers[id(value)]

    def _keep(self, number: int, stand_in: Any) -> None:
        self._received[number] = stand_in
        self._known[id(stand_in)] = (number, stand_in)

    def _stub(self, number: int) -> Callable[..., Any]:
        def stub(*arguments: Any, **keywords: Any) -> Any:
            return self._call(number, arguments, keywords)

        stub.__name__ = stub.__qualname__ = "function_%d" % number
        return stub

    def _iterator(self, number: int) -> Iterator[Any]:
        while True:
            found = self._call(number, (), {})
            if not isinstance(found, list) or len(found) != 1:
                return
            yield found[0]


def _parts(value: Any) -> Dict[str, Any]:
    """Return the attributes of an object, including properties, or the name and the value of an enum member."""
    if isinstance(value, enum.Enum):
        return {"name": value.name, "value": value.value}
    found = dict(getattr(value, "__dict__", {}))
    for kind in type(value).__mro__:
        if kind.__module__ == CANDIDATE:
            for name, content in vars(kind).items():
                if isinstance(content, (property, types.MemberDescriptorType)) and name not in found:
                    with contextlib.suppress(Exception):  # a property may raise anything
                        found[name] = getattr(value, name)
    return {name: part for name, part in found.items() if _is_attribute(name)}


def _is_attribute(name: Any) -> bool:
    return type(name) is str and name.isidentifier() and not name.startswith("__")


def _class_name(value: Any) -> str:
    return clean(str(type(value).__qualname__), MAX_TEXT)


def _made(kind: Any, attributes: Dict[str, Any]) -> Any:
    """Create an instance of a task's class, and set its attributes.

    An attribute is skipped if the class has a property or method with the same name.
    """
    if issubclass(kind, enum.Enum):
        return kind[attributes["name"]]
    made = object.__new__(kind)
    for name, part in attributes.items():
        own = getattr(kind, name, None)
        if not (callable(own) or isinstance(own, (property, functools.cached_property))):
            object.__setattr__(made, name, part)
    return made
