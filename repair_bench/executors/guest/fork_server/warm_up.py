"""Run an example in the fork server before the server forks, so that children inherit warm caches and imported modules.

The example is part of the package: the file `adapters/<framework>_example.py`, or `EXAMPLE` in an adapter for other
languages. No candidate, test or task code runs here. A library may start a thread when it is first used, and a process
with several threads must not fork. Therefore, a child process runs the example first. The fork server runs
the example only if the child process still has a single thread after running the example.
"""

from __future__ import annotations

import json
import linecache
import os
import sys
from typing import Any, Dict, List, Optional

from .. import processes
from ..candidate import Trial, load
from ..report import FILENAME
from ..text import frame
from ..unit_tests import messages
from ..unit_tests.proxy import Peer
from ..unit_tests.unit_test import UnitTestTrial

OBSERVED = ("distribution", "state", "unitary")
"""The names of an example's functions. Each name is the kind of observation to which the function's result is
converted."""


def rehearse(adapter: Any, proc: int) -> bool:
    """Run an adapter's example if that is safe. Return whether the example ran. `proc`: a descriptor of /proc."""
    source = getattr(adapter, "EXAMPLE", None) or _example(adapter)
    if source is None:
        return False
    able = _a_child_can(source, adapter, proc)
    if able:
        _perform(source, adapter)
    return able


def _example(adapter: Any) -> Optional[str]:
    path = os.path.splitext(adapter.__file__)[0].replace("_adapter", "_example") + ".py"
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


def _a_child_can(source: str, adapter: Any, proc: int) -> bool:
    pid = os.fork()
    if pid == 0:
        able = False
        try:
            _perform(source, adapter)
            able = processes.threads(proc, "self") == 1
        finally:
            os._exit(0 if able else 1)
    return os.waitpid(pid, 0)[1] == 0


def _perform(source: str, adapter: Any) -> None:
    """Call each function of the example and observe its result, call one function in a unit test, and encode and decode
    the results of all functions.
    """
    common: Dict[str, Any] = {"source": source, "seed": 0, "value_bytes": 1 << 24, "qubits": None}
    call = {**common, "setup": "", "cases": [[]]}
    trials: List[Trial] = [Trial({**call, "entry_point": name, "observe": name}, adapter) for name in OBSERVED]
    python = not hasattr(adapter, "load")
    test = {"test": "def test(function):\n    function()\n", "function": "test", "passes_candidate": True}
    if python:
        trials.append(UnitTestTrial({**common, **test, "entry_point": "state", "preamble": "", "needs": ()}, adapter))
    for trial in trials:
        trial.prepare()
        result = json.loads(trial.run()[4:])
        if result["status"] != "returned" or result["value"].get("test") == "failed":
            raise RuntimeError("the example program for the warm-up did not run: %s" % result)
    if not python:
        return
    functions = load(source)
    for name in OBSERVED:
        _Mirror(functions).call(name, (), {})
    del sys.modules["candidate"], linecache.cache[FILENAME]


class _Mirror(Peer):
    """A peer whose messages are answered immediately by another peer in the same process, without a socket."""

    def __init__(self, functions: Dict[str, Any]) -> None:
        super().__init__(-1)
        self._other = Peer(-1, functions)

    def send(self, message: Any) -> None:
        call = messages.read_call(json.loads(frame(message)[4:]))
        self._answered = self._other._called(call)  # noqa: SLF001 - same class

    def receive(self) -> Dict[str, Any]:
        answered: Dict[str, Any] = json.loads(frame(self._answered)[4:])
        return answered
