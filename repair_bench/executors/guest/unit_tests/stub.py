"""The two processes of an isolated unit test: one runs the candidate, and the other calls it through stubs.

The test can use the same names as in the published suite, but cannot access any of the candidate's objects directly. If
the task's code or a library defines a name, the test uses that definition, even if the candidate redefines the name. In
the test's namespace, stubs replace the candidate's functions, and copies replace the candidate's other values. If the
candidate defines a name that is also a built-in name, the test still uses the built-in object.
"""

from __future__ import annotations

import builtins
import contextlib
import hashlib
import importlib
import sys
import types
from typing import Any, Callable, Dict, List, Optional

from ..candidate import Result, Trial, failure, load
from .messages import Malformed
from .proxy import Ended, Peer
from .remote_objects import CANDIDATE
from .unit_test import PREAMBLE, Calls, UnitTestTrial, is_the_tests_own, names_used, preamble_names

VALUE = "()"
"""The reserved name of the function that returns one of the candidate's values to the test's process. No function of
the candidate can have this name."""
SHORT = {"np": "numpy", "plt": "matplotlib.pyplot", "nx": "networkx", "qml": "pennylane", "pnp": "pennylane.numpy"}
"""Modules that are commonly imported under an alias."""
SEEDED = ("random", "numpy.random")
_NOTHING = object()


class ServedTrial(Trial):
    """The candidate's process, which loads the candidate and then serves calls until the test's process ends."""

    def _run_sources(self) -> None:
        self._names = preamble_names(self._request)

    def _result(self, source: str) -> Result:
        namespace = load(source, self._names)
        if not callable(namespace.get(self._request["entry_point"])):
            return {"status": "no_entry"}
        functions = {name: value for name, value in namespace.items() if callable(value)}
        functions[VALUE] = namespace.__getitem__
        given = {name: namespace.get(name) for name in self._request["given"]}
        peer = Peer(self._peer, functions, classes=given, described=lambda error: failure(error, source), sow=sow)
        peer.send({"names": {name: _nature(value) for name, value in namespace.items() if isinstance(name, str)}})
        peer.serve()
        return {"status": "returned", "value": {"served": True}}


class StubbedTrial(UnitTestTrial):
    """The test's process.

    Extra statuses: "ended" (the candidate's process has ended), "malformed" (an invalid message).
    """

    def prepare(self) -> None:
        super().prepare()
        self._library = imported(self._request["imports"])
        self._given = given_classes(self._request["classes"])
        # A test that draws the same random numbers as the program could not detect an error. This seed depends on the
        # text of the test, which a candidate does not have.
        text = "%d %s" % (self._request["seed"], self._request["test"])
        self._seed(int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big"))
        self._sown: List[Any] = []
        note_seeds(self._sown)

    def _new_peer(self) -> Peer:
        return Peer(self._peer, classes=self._given, seeds=self._seeds, changes=self._request["changes"])

    def _result(self, source: str) -> Result:  # noqa: ARG002 - the object has none
        peer = self._new_peer()
        try:
            found: Optional[Result] = self._result_of(peer)
        except (Ended, Malformed):
            found = None
        if isinstance(peer.ended, Malformed):
            return {"status": "malformed"}
        return {"status": "ended"} if found is None or peer.ended is not None else found

    def _result_of(self, peer: Peer) -> Result:
        entry_point = self._request["entry_point"]
        names = peer.names()
        if entry_point not in names:
            raise Ended
        namespace, calls = dict(self._names), Calls(peer.stub(entry_point))
        try:
            for name in sorted(names_used(self._test) - {entry_point} - set(namespace)):
                if name in names and not hasattr(builtins, name):
                    namespace[name] = self._named(peer, name, names[name])
            self._run_test({**namespace, entry_point: calls.function})
        except (MemoryError, Ended, Malformed):
            raise
        except BaseException as error:
            reported = peer.report_of(error)
            if reported is None or (peer.came_from_here(error) and is_the_tests_own(error)):
                return {"status": "returned", "value": self._failed(error, calls)}
            return reported
        changed = sorted(peer.changed) if self._request["changes"] is None else []
        return {"status": "returned", "value": {"test": "passed", **({"changed": changed} if changed else {})}}

    def _seeds(self) -> List[Any]:
        sown, self._sown[:] = list(self._sown), []
        return sown

    def _named(self, peer: Peer, name: str, nature: Any) -> Any:
        if name in self._library:
            return self._library[name]
        if name in self._given:  # even if the candidate redefines it
            return self._given[name]
        found = _from_library(name, nature) if isinstance(nature, list) else None
        if found is not None:
            return found
        if nature in ("function", "class"):
            return peer.stub(name)
        return peer.call(VALUE, (name,), {})


def imported(statements: Any) -> Dict[str, Any]:
    """Execute import statements, except imports of missing packages, and return the names that they bind."""
    names: Dict[str, Any] = {}
    for statement in statements:
        with contextlib.suppress(ImportError):
            exec(compile(statement, PREAMBLE, "exec", dont_inherit=True), names)
    return names


def given_classes(source: str) -> Dict[str, type]:
    """Return the classes that the task's code `source` defines, keyed by name."""
    names: Dict[str, Any] = {"__name__": CANDIDATE}
    exec(compile(source, PREAMBLE, "exec", dont_inherit=True), names)
    return {name: value for name, value in names.items() if isinstance(value, type)}


def note_seeds(noted: List[Any]) -> None:
    """Start recording integer seeds as [library, argument], so that the candidate's process gets the same seeds."""
    for library in SEEDED:
        module = sys.modules.get(library)
        if module is not None:
            module.seed = _noting(module.seed, library, noted)  # type: ignore[attr-defined]


def _noting(seed: Callable[..., None], library: str, noted: List[Any]) -> Callable[..., None]:
    def noting(*arguments: Any, **keywords: Any) -> None:
        seed(*arguments, **keywords)
        given = [*arguments, *keywords.values()]
        if len(given) == 1 and type(given[0]) is int:
            noted.append([library, given[0]])

    return noting


def sow(seeds: List[Any]) -> None:
    """Apply the test's seeds to this process."""
    for library, seed in seeds:
        sys.modules[library].seed(seed)


def _nature(value: Any) -> Any:
    """Return [module] or [module, name] for a library object, otherwise one of `messages.NATURES`."""
    if isinstance(value, types.ModuleType):
        return [value.__name__]
    module, name = (str(getattr(value, attribute, "")) for attribute in ("__module__", "__name__"))
    if module != "candidate" and getattr(sys.modules.get(module), name, _NOTHING) is value:
        return [module, name]
    if isinstance(value, type):
        return "class"
    return "function" if callable(value) else "value"


def _from_library(name: str, nature: Any) -> Any:
    """Return the library module or object whose own name or usual short name is `name`, or None if there is none."""
    module, own = str(nature[0]), str(nature[-1])
    if name not in (own, own.rpartition(".")[2]) and SHORT.get(name) != module:
        return None
    try:
        found = importlib.import_module(module)
    except ImportError:
        return None
    return found if len(nature) == 1 else getattr(found, own, None)
