"""The two processes of a sealed unit test: one holds the candidate, in the other, where none of its code ever runs, the
test calls it through stubs.

The test's namespace is what the published rule gives it, a copy of the candidate's, as far as that can be had without
trusting the candidate: of the names that the test uses, those of the task's own sources come from there, a library's
come from the library, functions of the candidate are stubs and its values cross. No name of the candidate's hides a
built-in one.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import inspect
import sys
import types
from typing import Any, Dict, Optional

from .candidate import Result, Trial, failure, load
from .codec import CannotCross
from .proxy import Ended, Peer
from .unit_test import PREAMBLE, Calls, UnitTestTrial, names_used, preamble_names

VALUE = "()"
"""What the test's side calls, with a name, for a value of the candidate's; it cannot be the name of a function."""
SHORT = {"np": "numpy", "plt": "matplotlib.pyplot", "nx": "networkx", "qml": "pennylane", "pnp": "pennylane.numpy"}
"""Names that modules are commonly imported under."""
REFLECTING = {"inspect", "signature", "getsource", "globals", "locals", "vars", "redirect_stdout", "StringIO", "stdout"}
REFLECTING |= {"__code__", "__doc__", "__annotations__", "__defaults__", "__wrapped__", "__closure__", "__globals__"}
REFLECTING |= {"open", "Path", "exists", "isfile", "listdir", "remove", "environ"}
"""A test with one of these names looks at more of a function than what it returns."""
_NOTHING = object()
_SPECIAL = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class ServedTrial(Trial):
    """The candidate's side: it is loaded, then called by the test's side until that has ended."""

    def prepare(self) -> None:
        self._seed(self._request["seed"])
        self._names = preamble_names(self._request)
        self._seed(self._request["seed"])

    def _result(self, source: str) -> Result:
        namespace = load(source, self._names)
        if not callable(namespace.get(self._request["entry_point"])):
            return {"status": "no_entry"}
        functions = {name: value for name, value in namespace.items() if callable(value)}
        functions[VALUE] = namespace.__getitem__
        peer = Peer(self._peer, functions, lambda error: failure(error, source))
        peer.send({"names": {name: _nature(value) for name, value in namespace.items() if isinstance(name, str)}})
        peer.serve()
        return {"status": "returned", "value": {"served": True}}


class StubbedTrial(UnitTestTrial):
    """The test's side. Besides what a test can tell, its result may be `{"status": "ended"}`, the candidate's process
    has left, and `{"status": "uncrossable", "why": ...}`, a value cannot cross.
    """

    def prepare(self) -> None:
        super().prepare()
        self._library = imported(self._request["imports"])
        self._seed(self._request["seed"])

    def _result(self, source: str) -> Result:  # noqa: ARG002 - it has none
        peer = Peer(self._peer)
        try:
            found: Optional[Result] = self._tested(peer)
        except Ended:
            found = None
        except CannotCross as error:
            peer.stuck.append(str(error))
            found = None
        if peer.stuck:
            return {"status": "uncrossable", "why": peer.stuck[0]}
        return {"status": "ended"} if found is None or peer.ended else found

    def _tested(self, peer: Peer) -> Result:
        entry_point = self._request["entry_point"]
        used = names_used(self._test)
        if used & REFLECTING:
            raise CannotCross("the test looks at how the function is made")
        names = peer.receive().get("names")
        if not isinstance(names, dict) or entry_point not in names:
            raise Ended
        if names[entry_point] != "function":
            raise CannotCross("the entry point is no plain function")
        namespace = dict(self._names)
        for name in sorted(used - {entry_point} - set(namespace)):
            if name in names and not hasattr(builtins, name):
                namespace[name] = self._named(peer, name, names[name])
        calls = Calls(peer.stub(entry_point))
        try:
            self._run_test({**namespace, entry_point: calls.function})
        except (MemoryError, Ended, CannotCross):
            raise
        except BaseException as error:
            remote = peer.failure_of(error)
            if remote is not None:
                return remote
            told = {"error": self._described(error), "calls": calls.count, "returned": calls.shown()}
            return {"status": "returned", "value": {"test": "failed", **told}}
        if entry_point not in peer.called:
            raise CannotCross("the test never called the function")
        return {"status": "returned", "value": {"test": "passed"}}

    def _named(self, peer: Peer, name: str, nature: Any) -> Any:
        """What a name of the candidate's stands for in the test."""
        if name in self._library:
            return self._library[name]
        if isinstance(nature, list):
            found = _from_library(name, nature)
            if found is not None:
                return found
        if nature == "function":
            return peer.stub(name)
        return peer.call(VALUE, (name,), {})


def imported(statements: Any) -> Dict[str, Any]:
    """The names that import statements bind; those of packages that are not installed are left out."""
    names: Dict[str, Any] = {}
    for statement in statements:
        with contextlib.suppress(ImportError):
            exec(compile(statement, PREAMBLE, "exec", dont_inherit=True), names)
    return names


def _nature(value: Any) -> Any:
    """What kind of thing a name is: [module] or [module, name] in a library, a function, or another value."""
    if isinstance(value, types.ModuleType):
        return [value.__name__]
    module, name = (str(getattr(value, attribute, "")) for attribute in ("__module__", "__name__"))
    if module != "candidate" and getattr(sys.modules.get(module), name, _NOTHING) is value:
        return [module, name]
    if isinstance(value, types.FunctionType):
        return "value" if value.__code__.co_flags & _SPECIAL else "function"
    return "value" if isinstance(value, type) or not callable(value) else "function"


def _from_library(name: str, nature: Any) -> Any:
    """A library's module or object, if the name is the one that it goes by; None otherwise."""
    module, own = str(nature[0]), str(nature[-1])
    if name not in (own, own.rpartition(".")[2]) and SHORT.get(name) != module:
        return None
    try:
        found = importlib.import_module(module)
    except ImportError:
        return None
    return found if len(nature) == 1 else getattr(found, own, None)
