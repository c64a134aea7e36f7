"""Calls between the process of a candidate and the process of its test, over one socket, in both directions.

While one side waits for its answer it serves the other side's calls: a test hands an oracle to the candidate, which
calls it back. Arguments and results cross by `codec`; functions as handles. What a call did to its arguments in place
is told with its answer, and an argument that is returned is the same object again.

Messages, each a frame of JSON: `{"call": name or handle, "arguments": [...], "keywords": {...}}`, answered by
`{"value": ..., "same": index or null, "changed": [[index, value], ...]}`, `{"raised": {...}}`, or `{"stuck": why}` for
a value that cannot cross.
"""

from __future__ import annotations

import json
import operator
import struct
from typing import Any, Callable, Dict, List, NoReturn, Optional, Set, Tuple

from . import codec
from .codec import CannotCross
from .remote_errors import plain_arguments, rebuilt
from .text import frame, read_exactly, write_all

MOST_BYTES = 2 * codec.MOST_BYTES
"""Of one message."""
MOST_CALLS = 100_000
_SETTLED = (int, float, complex, str, bytes, range, frozenset, type(None))
"""Classes of values that a call cannot change."""


class Ended(BaseException):
    """The other side left, or says what is no message. No `Exception`: a test must not mistake it for an answer."""


class Peer:
    """One end of the socket.

    `names`: the functions that the other side may call by name. `failure`: describes what such a call raised.
    """

    def __init__(
        self,
        fd: int,
        names: Optional[Dict[str, Any]] = None,
        failure: Optional[Callable[[BaseException], Dict[str, Any]]] = None,
    ) -> None:
        self.stuck: List[str] = []
        """Why values could not cross, in either direction."""
        self.called: Set[Any] = set()
        """What was called on the other side."""
        self.ended = False
        self._fd = fd
        self._names = names or {}
        self._failure = failure
        self._handles: List[Callable[..., Any]] = []
        self._raised: List[BaseException] = []
        self._foreign: List[Tuple[BaseException, Dict[str, Any]]] = []

    def send(self, message: Any) -> None:
        try:
            write_all(self._fd, frame(message))
        except OSError as error:
            self._end(error)

    def receive(self) -> Dict[str, Any]:
        """The next message. Raises Ended."""
        try:
            (size,) = struct.unpack("!I", read_exactly(self._fd, 4))
            message = json.loads(read_exactly(self._fd, size)) if size <= MOST_BYTES else None
        except (OSError, EOFError, ValueError, RecursionError) as error:
            self._end(error)
        return message if isinstance(message, dict) else self._end(ValueError("no message"))

    def stub(self, target: Any) -> Callable[..., Any]:
        """A function that calls the other side's, by name or handle."""

        def stub(*arguments: Any, **keywords: Any) -> Any:
            return self.call(target, arguments, keywords)

        stub.__name__ = stub.__qualname__ = str(target)
        stub.__dict__["_stub_of"] = (self, target)
        return stub

    def call(self, target: Any, arguments: Tuple[Any, ...], keywords: Dict[str, Any]) -> Any:
        """Call the other side. Raises what it raised, CannotCross and Ended."""
        self.called.add(target)
        given = [*arguments, *keywords.values()]
        message = {
            "call": target,
            "arguments": [self._encode(value) for value in arguments],
            "keywords": {name: self._encode(value) for name, value in keywords.items()},
        }
        self.send(message)
        answer = self.receive()
        while "call" in answer:
            self._answer(answer)
            answer = self.receive()
        if "stuck" in answer:
            raise self._cannot(str(answer["stuck"])[:500])
        if "raised" in answer:
            raise self._rebuilt(answer["raised"])
        try:
            for index, value in answer["changed"]:
                if become(given[index], self._decode(value)) is not given[index]:
                    raise self._cannot("a change of a %s in place" % type(given[index]).__name__)
            return self._decode(answer["value"]) if answer["same"] is None else given[answer["same"]]
        except (KeyError, IndexError, TypeError, ValueError) as error:
            self._end(error)

    def serve(self) -> None:
        """Answer calls until the other side leaves."""
        try:
            while True:
                self._answer(self.receive())
        except Ended:
            return

    def failure_of(self, error: BaseException) -> Optional[Dict[str, Any]]:
        """What the other side says of an exception that it raised; None for any other.

        An assertion that came from here and only went through the other side is this side's own.
        """
        if isinstance(error, AssertionError) and any(error is ours for ours in self._raised):
            return None
        return next((info["failure"] for known, info in self._foreign if known is error), None)

    def _answer(self, message: Dict[str, Any]) -> None:
        try:
            answer = self._called(message)
        except CannotCross as error:
            self.stuck.append(str(error))
            answer = {"stuck": str(error)[:500]}
        except Ended:
            raise
        except BaseException as error:
            answer = {"raised": self._told(error)}
        self.send(answer)

    def _called(self, message: Dict[str, Any]) -> Dict[str, Any]:
        target = message["call"]
        function = self._names[target] if isinstance(target, str) else self._handles[target]
        arguments = [self._decode(value) for value in message["arguments"]]
        keywords = {name: self._decode(value) for name, value in message["keywords"].items()}
        value = function(*arguments, **keywords)
        given = [*arguments, *keywords.values()]
        sent = [*message["arguments"], *message["keywords"].values()]
        changed = []
        for index, argument in enumerate(given):
            if not isinstance(argument, _SETTLED) and not callable(argument):
                after = self._encode(argument)
                if not codec.same(after, sent[index]):
                    changed.append([index, after])
        same = next((i for i, argument in enumerate(given) if argument is value and value is not None), None)
        return {"value": None if same is not None else self._encode(value), "same": same, "changed": changed}

    def _told(self, error: BaseException) -> Dict[str, Any]:
        """An exception in JSON: its class, what it was made with, and whose it was first."""
        origin = next((info["origin"] for known, info in self._foreign if known is error), None)
        if origin is None:
            self._raised.append(error)
        failure = self._failure(error) if self._failure else None
        kind = type(error)
        return {
            "module": str(kind.__module__),
            "name": str(kind.__qualname__),
            "arguments": plain_arguments(error, failure),
            "origin": len(self._raised) - 1 if origin is None else None,
            "yours": origin,
            "failure": failure,
        }

    def _rebuilt(self, info: Any) -> BaseException:
        """The exception that the other side tells of: the very one, if it came from here."""
        if not isinstance(info, dict) or not isinstance(info.get("failure"), (dict, type(None))):
            self._end(ValueError("no exception"))
        yours = info.get("yours")
        error = self._raised[yours] if isinstance(yours, int) and 0 <= yours < len(self._raised) else None
        if error is None:
            error = rebuilt(info)
        self._foreign.append((error, {"origin": info.get("origin"), "failure": info.get("failure")}))
        return error

    def _encode(self, value: Any) -> Any:
        try:
            return codec.encode(value, self._handle)
        except CannotCross as error:
            raise self._cannot(str(error)) from None

    def _decode(self, data: Any) -> Any:
        try:
            return codec.decode(data, self._function)
        except CannotCross as error:
            raise self._cannot(str(error)) from None

    def _handle(self, function: Callable[..., Any]) -> Any:
        peer, target = getattr(function, "__dict__", {}).get("_stub_of", (None, None))
        if peer is self:
            return {"yours": target}
        if len(self._handles) >= MOST_CALLS:
            raise CannotCross("too many functions")
        self._handles.append(function)
        return len(self._handles) - 1

    def _function(self, handle: Any) -> Callable[..., Any]:
        if isinstance(handle, dict):
            target = handle["yours"]
            return self._names[target] if isinstance(target, str) else self._handles[target]
        if not isinstance(handle, int):
            raise CannotCross("no handle")
        return self.stub(handle)

    def _cannot(self, why: str) -> CannotCross:
        self.stuck.append(why)
        return CannotCross(why)

    def _end(self, error: BaseException) -> NoReturn:
        self.ended = True
        raise Ended(str(error)) from None


def become(old: Any, new: Any) -> Any:
    """Give an object the content of another of its class, in place wherever that can be. Returns what stands for it."""
    if old is new or type(old) is not type(new):
        return new
    if isinstance(old, list):
        old[:] = [*map(become, old, new), *new[len(old) :]]
        return old
    if isinstance(old, tuple):
        merged = tuple(map(become, old, new))
        return old if len(old) == len(new) and all(map(operator.is_, old, merged)) else new
    if isinstance(old, dict):
        items = {key: become(old[key], value) if key in old else value for key, value in new.items()}
        old.clear()
        old.update(items)
        return old
    if isinstance(old, set):
        old.clear()
        old.update(new)
        return old
    if hasattr(old, "dtype") and hasattr(old, "shape"):
        if old.shape != new.shape or old.dtype != new.dtype or not old.shape:
            return new
        old[...] = new
        return old
    if isinstance(old, _SETTLED) or not hasattr(old, "__dict__"):
        return new
    vars(old).clear()
    vars(old).update(vars(new))
    return old
