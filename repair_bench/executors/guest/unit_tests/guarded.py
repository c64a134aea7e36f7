"""Run a unit test in the process of the candidate, with guards.

After loading the candidate, the process receives the test, together with a secret number that the verdict must contain.
Objects on which the test relies are checked for changes before the test, after each call, and at the end (see
`guards`). If the candidate passes, the same process runs the test again, but replaces the candidate's function with one
that returns None. The test must reject this function.
"""

from __future__ import annotations

import functools
import os
import shutil
import sys
import types
from typing import Any, Callable, Dict, List

from ..candidate import Result, load
from ..text import frame, read_frame, write_all
from . import guards
from .returned import watch
from .unit_test import TEST, Calls, UnitTestTrial, import_needs, names_used, preamble_names

MAX_CHECKS = 200
"""The names that the test uses are checked for changes after each call, but only for this number of calls."""


class GuardedTrial(UnitTestTrial):
    """The execution of a candidate and its unit test. The process receives the test only after loading the candidate.

    The result may also be "tampered".
    """

    def _run_sources(self) -> None:
        self._names = preamble_names(self._request)
        import_needs(self._request)

    def prepare(self) -> None:
        super().prepare()
        self._found: List[str] = []
        self._noted: List[str] = []
        self._null = os.open(os.devnull, os.O_WRONLY)
        self._snapshot = guards.Snapshot()
        guards.audit(self._noted)

    def _result(self, source: str) -> Result:
        changes = self._snapshot.changes  # bound before the candidate could replace it
        loaded = frame({"loaded": self._request.pop("token")})
        namespace = load(source, self._names)
        name = self._request["entry_point"]
        if not callable(namespace.get(name)):
            return {"status": "no_entry"}
        changed = changes()
        if changed:
            return {"status": "returned", "value": {"test": "tampered", "changed": changed}}
        for stream, number in ((sys.stdout, 1), (sys.stderr, 2)):  # output during the test is discarded
            stream.flush()
            os.dup2(self._null, number)
        write_all(self._peer, loaded)
        late = read_frame(self._peer)
        self._request.update(late["call"])
        self._test = compile(self._request["test"], TEST, "exec", dont_inherit=True)
        self._snapshot.look_at(names_used(self._test))
        value = self._verdict(namespace, changes)
        return {"status": "returned", "value": value, "nonce": late["nonce"]}

    def _verdict(self, namespace: Dict[str, Any], changes: Callable[[], List[str]]) -> Dict[str, Any]:
        name = self._request["entry_point"]
        calls = Calls(namespace[name])
        value = self._tested({**namespace, name: self._watched(calls.function)}, calls)
        self._found += changes()
        if value["test"] == "passed":
            changed = [*self._found, *self._noted][: guards.MAX_CHANGES]
            if changed:
                return {"test": "tampered", "changed": changed}
            value["vacuous"] = self._passes_nothing(namespace)
        return value

    def _watched(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if not isinstance(function, types.FunctionType) or function.__code__.co_flags & 0x2A0:
            return function
        left, look = [MAX_CHECKS], watch

        @functools.wraps(function)
        def watched(*arguments: Any, **keywords: Any) -> Any:
            value = function(*arguments, **keywords)
            left[0] -= 1
            if left[0] >= 0 and not self._found:
                self._found += self._snapshot.near()
            look(value, self._snapshot.classes, self._found)
            return value

        return watched

    def _passes_nothing(self, namespace: Dict[str, Any]) -> bool:
        def nothing(*_arguments: Any, **_keywords: Any) -> None:
            return None

        _empty(os.getcwd())  # files of the candidate must not make the empty function pass
        try:
            self._run_test({**namespace, self._request["entry_point"]: nothing})
        except MemoryError:
            raise
        except BaseException:
            return False
        return True


def _empty(directory: str) -> None:
    for entry in os.scandir(directory):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            os.unlink(entry.path)
