"""Running one candidate against a unit test in a copy of the candidate's namespace.

Test and candidate share the process, and nothing here defends the verdict; but only a test that ran to its end passed.
"""

from __future__ import annotations

import functools
import inspect
import re
import reprlib
import types
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Optional, Set

from ..candidate import Result, Trial, describe, load
from ..report import FILENAME, SHOWN_AS
from ..text import clean

TEST = "<test>"
PREAMBLE = "<preamble>"
MAX_RETURNED = 3
"""How many returned values are told, the last ones: a test mostly stops soon after the one that it does not accept."""
MAX_TEXT = 2000
"""Characters of one returned value."""
LONG = 500
"""Instructions beyond which a circuit is not drawn."""

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_SPECIAL = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class UnitTestTrial(Trial):
    """One candidate and one unit test between the request and the result."""

    def prepare(self) -> None:
        """Seed, run the preamble, make the test ready. What is raised here is a fault of the task."""
        seed = self._request["seed"]
        self._seed(seed)
        self._names = preamble_names(self._request)
        import_needs(self._request)
        self._test = compile(self._request["test"], TEST, "exec", dont_inherit=True)
        self._seed(seed)

    def _result(self, source: str) -> Result:
        name = self._request["entry_point"]
        namespace = load(source, self._names)
        if not callable(namespace.get(name)):
            return {"status": "no_entry"}
        calls = Calls(namespace[name])
        return {"status": "returned", "value": self._tested({**namespace, name: calls.function}, calls)}

    def _tested(self, namespace: Dict[str, Any], calls: "Calls") -> Dict[str, Any]:
        """Run the test; the value that tells what it came to. Raises what the candidate raised."""
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
    """The names that the preamble leaves, save the entry point's: it may hold the bare signature of that."""
    names: Dict[str, Any] = {"__name__": "candidate"}
    exec(compile(request["preamble"], PREAMBLE, "exec", dont_inherit=True), names)
    names.pop(request["entry_point"], None)
    return names


def import_needs(request: Dict[str, Any]) -> None:
    """Import what the test imports, while no candidate can have a hand in it. Raises ImportError."""
    for statement in request.pop("needs"):
        exec(compile(statement, TEST, "exec", dont_inherit=True), {})


def names_used(code: types.CodeType) -> Set[str]:
    """Every name and attribute that a code and the functions within it refer to."""
    used = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            used |= names_used(constant)
    return used


class Calls:
    """An entry point as the test is given it: it notes what is returned. What is no plain function is left alone."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.count = 0
        self.raised: Optional[BaseException] = None
        self._last: Deque[Any] = deque(maxlen=MAX_RETURNED)
        plain = isinstance(function, types.FunctionType) and not function.__code__.co_flags & _SPECIAL
        self.function = self._noting(function) if plain else function

    def shown(self) -> List[str]:
        """The last returned values in words, oldest first."""
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
    """A returned value in at most 2000 characters: a circuit as its drawing, anything else as its `repr`.

    Memory addresses are left out: the text of a feedback must be the same whenever the program is.
    """
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
        return str(x) if _is_drawn(type(x)) and len(x) <= LONG else super().repr_instance(x, level)


def _is_drawn(kind: Any) -> bool:
    """Whether objects of this class say more as a text than by their address, and how long they are."""
    return kind.__repr__ is object.__repr__ and kind.__str__ is not object.__str__ and hasattr(kind, "__len__")


def _kept(value: Any) -> Any:
    """The value as it is now: a test may go on to change a circuit that it was given."""
    copy = getattr(value, "copy", None)
    if copy is None or isinstance(value, type):
        return value
    try:
        return copy()
    except Exception:  # its `copy` means something else
        return value


def is_of_the_candidate(error: BaseException, raised: Optional[BaseException]) -> bool:
    """Whether the candidate raised it: it passed through the candidate's frames on its way to the test, or it is what
    the last call that failed `raised`, such as a TypeError for a signature that does not fit.
    """
    if is_the_tests_own(error):
        return False
    files = _files(error)
    if isinstance(error, AssertionError):
        return files[-1:] == [FILENAME]
    return FILENAME in files or error is raised


def is_the_tests_own(error: BaseException) -> bool:
    """Whether an assertion stands in the test, or a name is unknown there, even where the candidate called what raised
    it (an oracle, a callback): no argument of the candidate's has a hand in these.
    """
    return isinstance(error, (AssertionError, NameError)) and _files(error)[-1:] == [TEST]


def _files(error: BaseException) -> List[str]:
    """The frames of the candidate and of the test that an exception passed through, outermost first."""
    files = []
    step = error.__traceback__
    while step is not None:
        files.append(step.tb_frame.f_code.co_filename)
        step = step.tb_next
    return [file for file in files if file in (FILENAME, TEST)]
