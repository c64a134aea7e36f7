"""Run a unit test in a copy of the candidate's namespace. The test passes only if it runs to completion.

The test and the candidate share a process, and this module does not protect the verdict from the candidate.
"""

from __future__ import annotations

import functools
import inspect
import re
import reprlib
import types
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Optional, Set

from ..candidate import Result, Trial, describe, files_of, load
from ..report import FILENAME, SHOWN_AS
from ..text import clean

TEST = "<test>"
PREAMBLE = "<preamble>"
MAX_RETURNED = 3
"""The maximum number of returned values to report. The last values are reported, because tests usually stop at an
error."""
MAX_TEXT = 2000
"""The maximum length, in characters, of each returned value."""
LONG = 500
"""Circuits with more instructions than this are not drawn."""

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_SPECIAL = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class UnitTestTrial(Trial):
    """The execution of a candidate and its unit test."""

    def _run_sources(self) -> None:
        self._names = preamble_names(self._request)
        import_needs(self._request)
        self._test = compile(self._request["test"], TEST, "exec", dont_inherit=True)

    def _result(self, source: str) -> Result:
        name = self._request["entry_point"]
        namespace = load(source, self._names)
        if not callable(namespace.get(name)):
            return {"status": "no_entry"}
        calls = Calls(namespace[name])
        return {"status": "returned", "value": self._tested({**namespace, name: calls.function}, calls)}

    def _tested(self, namespace: Dict[str, Any], calls: "Calls") -> Dict[str, Any]:
        """Run the test and return its result. Exceptions raised by the candidate are re-raised."""
        try:
            self._run_test(namespace)
        except MemoryError:
            raise
        except BaseException as error:
            if is_of_the_candidate(error, calls.raised):
                raise
            return self._failed(error, calls)
        return {"test": "passed"}

    def _failed(self, error: BaseException, calls: "Calls") -> Dict[str, Any]:
        return {"test": "failed", "error": self._described(error), "calls": calls.count, "returned": calls.shown()}

    def _run_test(self, namespace: Dict[str, Any]) -> None:
        candidate = namespace[self._request["entry_point"]]
        exec(self._test, namespace)
        function = self._request["function"]
        if function is not None:
            namespace[function](*([candidate] if self._request["passes_candidate"] else []))

    def _described(self, error: BaseException) -> Dict[str, str]:
        described = describe(error, self._request["test"], TEST)
        traceback = described["traceback"].replace('"%s"' % SHOWN_AS, '"test.py"').replace(FILENAME, SHOWN_AS)
        return {**described, "traceback": traceback}


def preamble_names(request: Dict[str, Any]) -> Dict[str, Any]:
    """Return the names that the preamble defines, except the name of the entry point.

    The preamble may contain the signature of the entry point.
    """
    names: Dict[str, Any] = {"__name__": "candidate"}
    exec(compile(request["preamble"], PREAMBLE, "exec", dont_inherit=True), names)
    names.pop(request["entry_point"], None)
    return names


def import_needs(request: Dict[str, Any]) -> None:
    """Execute the test's imports before the candidate can interfere. Raises ImportError."""
    for statement in request.pop("needs"):
        exec(compile(statement, TEST, "exec", dont_inherit=True), {})


def names_used(code: types.CodeType) -> Set[str]:
    """Return all names and attributes that a code object and its nested functions use."""
    used = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            used |= names_used(constant)
    return used


class Calls:
    """Records the values that an entry point returns, by wrapping the entry point if it is a plain function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.count = 0
        self.raised: Optional[BaseException] = None
        self._last: Deque[Any] = deque(maxlen=MAX_RETURNED)
        plain = isinstance(function, types.FunctionType) and not function.__code__.co_flags & _SPECIAL
        self.function = self._noting(function) if plain else function

    def shown(self) -> List[str]:
        """Return the last returned values as text, oldest first."""
        return [shown(value) for value in self._last]

    def _noting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def noting(*args: Any, **kwargs: Any) -> Any:
            try:
                value = function(*args, **kwargs)
            except BaseException as error:
                self.raised = error
                raise
            self.count += 1
            self._last.append(_kept(value))
            return value

        return noting


def shown(value: Any) -> str:
    """Return the drawing or the `repr` of a value: at most 2000 characters, without memory addresses."""
    try:
        text = _Short().repr(value)
    except Exception as error:
        text = "<%s whose repr raises %s>" % (type(value).__name__, type(error).__name__)
    return clean(_ADDRESS.sub("", text), MAX_TEXT)


class _Short(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxdict = self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdeque = 64
        self.maxstring = self.maxother = MAX_TEXT

    def repr_instance(self, x: Any, level: int) -> str:
        kind: Any = type(x)
        has_only_text = kind.__repr__ is object.__repr__ and kind.__str__ is not object.__str__
        is_drawn = has_only_text and hasattr(kind, "__len__") and len(x) <= LONG
        return str(x) if is_drawn else super().repr_instance(x, level)


def _kept(value: Any) -> Any:
    """Return a copy of a value if possible, because the test may later change the original."""
    copy = getattr(value, "copy", None)
    if copy is None or isinstance(value, type):
        return value
    try:
        return copy()
    except Exception:  # the object's `copy` does something else
        return value


def is_of_the_candidate(error: BaseException, raised: Optional[BaseException]) -> bool:
    """Whether the candidate, not the test, raised the exception. `raised`: the last exception that a call raised.

    Even if the candidate raised an exception, the traceback does not always contain a frame from the candidate's code.
    An example is the TypeError that is raised when the arguments of a call do not match the signature.
    """
    if is_the_tests_own(error):
        return False
    files = _files(error)
    if isinstance(error, AssertionError):
        return files[-1:] == [FILENAME]
    return FILENAME in files or error is raised


def is_the_tests_own(error: BaseException) -> bool:
    """Whether the exception is an AssertionError or NameError from the test's code, including callbacks.

    Exceptions of other classes are not attributed to the test, because a candidate can provoke them through the
    arguments of a callback.
    """
    return isinstance(error, (AssertionError, NameError)) and _files(error)[-1:] == [TEST]


def _files(error: BaseException) -> List[str]:
    return [file for file in files_of(error) if file in (FILENAME, TEST)]
