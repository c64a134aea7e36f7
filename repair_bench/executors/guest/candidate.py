"""Run a candidate: load its source as the module `candidate`, and observe its entry point once per case.

This module runs in the confined child. The result is `{"status": ..., "value": ..., "exception": ...}`. The status is
one of the `Outcome` statuses that a process can report about itself.
"""

from __future__ import annotations

import copy
import errno
import functools
import json
import linecache
import random
import sys
import types
from typing import Any, Callable, Dict, List, Optional, Sequence

from .report import FILENAME, describe_exception
from .text import clean_json, frame, printed

NUMBERS = ("amplitudes", "matrix", "probabilities")
MAX_TEXT = 4000
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

Result = Dict[str, Any]


class Trial:
    """The execution of one candidate.

    `peer`: the socket that connects to the test's process, if the test runs in a separate process.
    """

    def __init__(self, request: Dict[str, Any], adapter: Any, peer: Optional[int] = None) -> None:
        self._request = request
        self._adapter = adapter
        self._peer = -1 if peer is None else peer
        self._inputs: Optional[Callable[..., Sequence[Any]]] = None
        self._raised: Optional[BaseException] = None
        self._returned: Any = None

    def prepare(self) -> None:
        """Set the seeds and run the task's code. An exception in this method is an error of the task, not of the
        candidate.
        """
        self._seed(self._request["seed"])
        self._run_sources()
        self._seed(self._request["seed"])

    def _run_sources(self) -> None:
        setup = self._request["setup"]
        if setup:
            namespace: Dict[str, Any] = {"__name__": "setup"}
            exec(compile(setup, "<setup>", "exec", dont_inherit=True), namespace)
            self._inputs = namespace.get("inputs")
        for case in self._request["cases"]:
            self._arguments(case)

    def run(self) -> bytes:
        """Load the candidate, observe every case, and return the result as a frame of bounded size."""
        source = self._request["source"]
        try:
            result = self._result(source)
        except BaseException as error:
            result = failure(error, source)
        try:
            data = frame(result)
        except MemoryError:
            return frame({"status": "memory"})
        return data if len(data) <= self._request["value_bytes"] else frame({"status": "output_limit"})

    def _result(self, source: str) -> Result:
        function = self._loaded(source)
        if not callable(function):
            return {"status": "no_entry"}
        cases = [self._observe(functools.partial(self._call, function, case)) for case in self._request["cases"]]
        return {"status": "returned", "value": {"cases": cases}}

    def _call(self, function: Callable[..., Any], case: Sequence[Any]) -> Any:
        """Call the entry point with a new copy of the arguments, and record its result or exception."""
        arguments = self._arguments(case)
        try:
            self._returned = function(*arguments)
        except BaseException as error:
            self._raised = error
            raise
        return self._returned

    def _loaded(self, source: str) -> Any:
        """Return the entry point. For languages other than Python, return the result of the adapter's `load`."""
        own = getattr(self._adapter, "load", None)
        return load(source).get(self._request["entry_point"]) if own is None else own(source)

    def _observe(self, call: Callable[[], Any]) -> Result:
        self._raised, self._returned = None, None
        try:
            observation = self._adapter.observe(call, self._request["observe"], self._request["qubits"])
            # `forms` checks the numbers, which are too many to serialise twice. The other parts may contain names that
            # the candidate chose.
            words = {key: clean_json(part, MAX_TEXT) for key, part in observation.items() if key not in NUMBERS}
            json.dumps(words, allow_nan=False)
            observation.update(words)
        except MemoryError:
            raise
        except BaseException as error:
            caught = error
        else:
            return observation  # type: ignore[no-any-return]
        if self._raised is not None:
            raise self._raised
        if FILENAME in files_of(caught) or isinstance(caught, getattr(self._adapter, "RAISES", ())):
            raise caught
        # The candidate returned a value that the adapter or the framework cannot read.
        reason = "%s: %s" % (type(caught).__name__, printed(caught))
        return {
            "kind": "other",
            "type": type(self._returned).__name__,
            "repr": printed(self._returned),
            "problem": "the returned value could not be decoded (%s)" % reason,
        }

    def _arguments(self, case: Sequence[Any]) -> Sequence[Any]:
        arguments = copy.deepcopy(case)
        return self._inputs(*arguments) if self._inputs else arguments

    def _seed(self, seed: int) -> None:
        random.seed(seed)
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            numpy.random.seed(seed % 2**32)
            # Unseeded generators get their seeds from the generator seeded above, not from the system.
            numpy.random.bit_generator.randbits = random.getrandbits
        own = getattr(self._adapter, "seed", None)
        if own is not None:
            own(seed)


class ScriptTrial(Trial):
    """The execution of a program as a script. Only the printed output is reported."""

    def _result(self, source: str) -> Result:
        try:
            load(source, {"__name__": "__main__"})
        except SystemExit as left:
            if left.code not in (None, 0):
                raise
        return {"status": "returned", "value": {}}


def load(source: str, names: Optional[Dict[str, Any]] = None) -> Dict[str, Any]:
    """Execute source code as the module `candidate`, and make the source code available to tracebacks and to `inspect`.
    `names`: predefined names.
    """
    linecache.cache[FILENAME] = (len(source), None, source.splitlines(True), FILENAME)
    module = types.ModuleType("candidate")
    module.__dict__.update(names or {})
    module.__file__ = FILENAME
    sys.modules["candidate"] = module
    exec(compile(source, FILENAME, "exec", dont_inherit=True), module.__dict__)
    return module.__dict__


def failure(error: BaseException, source: str) -> Result:
    """Return the result for a candidate that raised an exception. Never raises an exception."""
    if isinstance(error, MemoryError):
        return {"status": "memory"}
    if isinstance(error, OSError) and error.errno in DISK_FULL:
        return {"status": "disk"}
    try:
        return {"status": "exception", "exception": describe(error, source, FILENAME)}
    except MemoryError:
        return {"status": "memory"}


def describe(error: BaseException, source: str, filename: str) -> Dict[str, str]:
    """Return the type, message and traceback of an exception. Raises no exception except MemoryError."""
    try:
        return describe_exception(error, source, filename)
    except MemoryError:
        raise
    except BaseException as strange:  # an exception class may raise anything
        message = "an exception that cannot be described (%s)" % type(strange).__name__
        return {"type": type(error).__name__, "message": message, "traceback": ""}


def files_of(error: BaseException) -> List[str]:
    """Return the file of each frame in an exception's traceback, outermost first."""
    files = []
    step = error.__traceback__
    while step is not None:
        files.append(step.tb_frame.f_code.co_filename)
        step = step.tb_next
    return files
