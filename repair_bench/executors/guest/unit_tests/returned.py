"""Detect whether a candidate returns objects of its own classes that override comparisons.

A task may ask the candidate to define a class, and the class may have to override methods. Therefore, an override is
recorded only if code outside the candidate's program calls the method.
"""

from __future__ import annotations

import enum
import functools
import sys
import types
from typing import Any, FrozenSet, List, Set

from ..report import FILENAME


def words(text: str) -> FrozenSet[str]:
    return frozenset(text.split())


COMPARING = words(
    "__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __bool__ __float__ __complex__ __int__ __index__ __abs__ "
    "__round__ __array__ __array_ufunc__ __array_function__ __getattr__ __getattribute__ __class__ "
    "__instancecheck__ __subclasscheck__ __sub__ __rsub__ __contains__ __pow__"
)
"""The names of Python's special methods that can affect the result of a comparison."""
HARMLESS = words(
    "__init__ __new__ __repr__ __str__ __doc__ __module__ __dict__ __weakref__ __slots__ __getnewargs__ "
    "__hash__ __init_subclass__ __reduce__ __reduce_ex__ __format__ __annotations__ __qualname__ "
    "__match_args__ __abstractmethods__ _abc_impl __orig_bases__ __parameters__ __firstlineno__ "
    "__static_attributes__"
)
"""The attributes of a library's class that a candidate's class may override."""
MAX_DEPTH = 4
MAX_ITEMS = 1000


def watch(value: Any, known: Set[int], found: List[str], depth: int = 0) -> None:
    """Watch a returned object, and record in `found` each overridden method that is called by code outside the
    candidate's program.
    """
    kind = type(value)
    if depth > MAX_DEPTH:
        return
    if kind in (list, tuple, set, frozenset):
        inside: Any = list(value)[:MAX_ITEMS]
    elif kind is dict:
        inside = [item for pair in list(value.items())[:MAX_ITEMS] for item in pair]
    elif _is_the_candidates_class(kind, known):
        for base in type.__dict__["__mro__"].__get__(kind):
            _watch_class(base, known, found)
        inner = getattr(value, "__dict__", None)
        inside = list(inner.values())[:MAX_ITEMS] if isinstance(inner, dict) else []
    else:
        return
    for item in inside:
        watch(item, known, found, depth + 1)


def _watch_class(kind: Any, known: Set[int], found: List[str]) -> None:
    if not _is_the_candidates_class(kind, known):
        return
    for name in _answering(kind):
        label = "%s.%s" % (kind.__qualname__, name)
        method = vars(kind)[name]
        if not isinstance(method, types.FunctionType):
            found.append(label)
        elif "_watched" not in method.__dict__:
            try:
                setattr(kind, name, _noting(method, label, found))
            except Exception:  # the metaclass refuses
                found.append(label)


def _answering(kind: Any) -> Set[str]:
    """Return the methods of a candidate's class that affect comparisons or override methods of a library's class."""
    own = set(vars(kind)) - HARMLESS
    if "__dataclass_fields__" in own and vars(kind)["__eq__"].__code__.co_filename == "<string>":
        own.discard("__eq__")
    bases = [base for base in kind.__mro__[1:] if base not in (object, enum.Enum)]
    asked_for = set().union(*(getattr(base, "__abstractmethods__", ()) for base in bases))
    replaced = {name for name in own - asked_for if any(name in vars(base) for base in bases)}
    return (own & COMPARING) | replaced


def _noting(method: Any, label: str, found: List[str]) -> Any:
    @functools.wraps(method)
    def noting(*arguments: Any, **keywords: Any) -> Any:
        caller = sys._getframe(1).f_code.co_filename  # noqa: SLF001
        if caller != FILENAME and label not in found:
            found.append(label)
        return method(*arguments, **keywords)

    noting.__dict__["_watched"] = True
    return noting


def _is_the_candidates_class(kind: type, known: Set[int]) -> bool:
    if not kind.__flags__ & 1 << 9 or id(kind) in known:  # Py_TPFLAGS_HEAPTYPE
        return False
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    found = getattr(module, kind.__qualname__.split(".")[0], None) is not None
    return kind.__module__ == "candidate" or not found or not isinstance(file, str) or file.startswith("<")
