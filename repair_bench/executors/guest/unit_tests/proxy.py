"""Calls between a candidate's process and its test's process, in both directions over one socket.

While a process waits for an answer, it serves calls from the other process. Arguments and results are encoded by
`codec`, or are sent as references by `remote_objects`. The answer to a call also contains the arguments that the called
function changed in place. If a call returns one of its arguments, the caller receives the same object. Each message is
a JSON frame, which `messages` reads.
"""

from __future__ import annotations

import collections
import operator
import struct
from typing import Any, Callable, Collection, Dict, List, Mapping, NoReturn, Optional, Set, Tuple

from .. import codec
from ..kinds import CannotCross
from ..text import frame, read_exactly, write_all
from . import messages
from .messages import Answer, Call, Malformed, Raised
from .remote_errors import plain_arguments, rebuilt
from .remote_objects import Opaque, RemoteObjects

MAX_BYTES = 2 * codec.MAX_BYTES
"""The maximum size of a message."""
MAX_DEPTH = 100
"""The maximum depth of nested calls."""
_SETTLED = (int, float, complex, str, bytes, range, frozenset, type(None), Opaque)
"""Classes of immutable values."""

Described = Callable[[BaseException], Dict[str, Any]]


class Ended(BaseException):
    """Raised if the other process closed the connection.

    This class is not an `Exception`, so that tests do not catch it.
    """


class Peer:
    """One end of a connection between a candidate's process and its test's process.

    `names`: functions that the other process may call by name. `classes`: the task's classes, by name. `described`
    (only in the candidate's process): a function that returns a description of an exception. The exception was raised
    when the test's process called a function in the candidate's process. `seeds` (only in the test's process): a
    function that returns the random seeds that the test has set since the previous call of this function. `sow` (only
    in the candidate's process): a function that applies the seeds that the test has set. `changes`: the arguments that
    the other process may change in place; None for all arguments.
    """

    def __init__(
        self,
        fd: int,
        names: Optional[Mapping[str, Any]] = None,
        *,
        classes: Optional[Mapping[str, Any]] = None,
        described: Optional[Described] = None,
        seeds: Callable[[], List[Any]] = list,
        sow: Callable[[List[Any]], None] = lambda _: None,
        changes: Optional[Collection[str]] = None,
    ) -> None:
        self.called: Set[Any] = set()
        """The functions of the other process that this process has called."""
        self.ended: Optional[BaseException] = None
        """The exception that ended the conversation (`Ended` or `Malformed`), even if the test caught it."""
        self.changed: Set[str] = set()
        """The arguments that the other process was allowed to change and has changed."""
        self._fd = fd
        self._names = names or {}
        self._objects = RemoteObjects(self.call, classes or {}, trusts=described is not None)
        self._described = described
        self._seeds = seeds
        self._sow = sow
        self._changes = changes
        self._raised: List[BaseException] = []
        self._foreign: List[Tuple[BaseException, Raised]] = []
        self._depth = 0

    def send(self, message: Any) -> None:
        try:
            write_all(self._fd, frame(message))
        except OSError as error:
            self._end(Ended(str(error)))

    def receive(self) -> Any:
        """Return the next message without checking its content. Raises Ended and Malformed."""
        try:
            (size,) = struct.unpack("!I", read_exactly(self._fd, 4))
            if size > MAX_BYTES:
                self._end(Malformed("the message is too long: %d bytes" % size))
            data = read_exactly(self._fd, size)
        except (OSError, EOFError) as error:
            self._end(Ended(str(error)))
        return self._read(messages.loads, data)

    def names(self) -> Dict[str, Any]:
        """Receive the candidate's first message, which lists the names in its program. Raises Ended and Malformed."""
        names: Dict[str, Any] = self._read(messages.read_names, self.receive())
        return names

    def stub(self, target: str) -> Callable[..., Any]:
        """Return a function that calls the function named `target` in the other process."""

        def stub(*arguments: Any, **keywords: Any) -> Any:
            return self.call(target, arguments, keywords)

        stub.__name__ = stub.__qualname__ = target
        return stub

    def call(self, target: Any, arguments: Tuple[Any, ...], keywords: Dict[str, Any]) -> Any:
        """Call a function in the other process. Raises Ended, Malformed, or the function's own exception."""
        if self.ended is not None:
            raise self.ended
        self.called.add(target)
        given = {**{str(place): value for place, value in enumerate(arguments)}, **keywords}
        self.send(
            {
                "call": target,
                "arguments": [self._encode(value) for value in arguments],
                "keywords": {name: self._encode(value) for name, value in keywords.items()},
                "seeds": self._seeds(),
            }
        )
        message = self.receive()
        while isinstance(message, dict) and "call" in message:
            self._serve(message)
            message = self.receive()
        reply = self._read(lambda data: messages.read_reply(data, len(given)), message)
        if isinstance(reply, Raised):
            raise self._rebuilt(reply)
        return self._read(lambda answer: self._taken(answer, given), reply)

    def serve(self) -> None:
        """Execute calls from the other process until that process closes the connection."""
        try:
            while True:
                self._serve(self.receive())
        except Ended:
            return

    def report_of(self, error: BaseException) -> Optional[Dict[str, Any]]:
        """Return the candidate's report of an exception, or None if the candidate did not raise or re-raise the
        exception.
        """
        return next((raised.report for known, raised in self._foreign if known is error), None)

    def came_from_here(self, error: BaseException) -> bool:
        """Whether the exception was first raised in this process, while this process served a call from the other
        process.
        """
        return any(error is own for own in self._raised)

    def _taken(self, answer: Answer, given: Dict[str, Any]) -> Any:
        """Apply the reported changes to the arguments that the other process may change, and return the result of the
        call.
        """
        places, values = list(given), list(given.values())
        for index, now in answer.changed:
            if self._changes is None or places[index] in self._changes:
                become(given[places[index]], self._decode(now))
                self.changed.add(places[index])
            elif index == answer.same:
                values[index] = self._decode(now)
        return self._decode(answer.value) if answer.same is None else values[answer.same]

    def _serve(self, message: Any) -> None:
        call = self._read(messages.read_call, message)
        if self._depth >= MAX_DEPTH:
            self._end(Malformed("calls that never end"))
        self._depth += 1
        try:
            reply = self._called(call)
        except (Ended, Malformed):
            raise
        except BaseException as error:
            reply = {"raised": self._description_of(error)}
        finally:
            self._depth -= 1
        self.send(reply)

    def _called(self, call: Call) -> Dict[str, Any]:
        self._sow(call.seeds)
        function, arguments, keywords = self._read(self._prepared, call)
        value = function(*arguments, **keywords)
        given = [*arguments, *keywords.values()]
        sent = [*call.arguments, *call.keywords.values()]
        changed = []
        for index, argument in enumerate(given):
            if isinstance(argument, _SETTLED) or callable(argument):
                continue
            if not codec.same(self._encode(argument, any_number=True), sent[index]):
                changed.append([index, self._encode(argument)])
        same = next((i for i, argument in enumerate(given) if argument is value and value is not None), None)
        return {"value": None if same is not None else self._encode(value), "same": same, "changed": changed}

    def _prepared(self, call: Call) -> Tuple[Any, List[Any], Dict[str, Any]]:
        named = isinstance(call.target, str)
        function = self._names[call.target] if named else self._objects.function(call.target)  # type: ignore[index, arg-type]
        arguments = [self._decode(value) for value in call.arguments]
        return function, arguments, {name: self._decode(value) for name, value in call.keywords.items()}

    def _description_of(self, error: BaseException) -> Dict[str, Any]:
        """Return the JSON form of an exception: class, arguments, origin and the candidate's report."""
        origin = next((raised.origin for known, raised in self._foreign if known is error), None)
        if origin is None:
            self._raised.append(error)
        report = self._described(error) if self._described else None
        kind = type(error)
        return {
            "module": str(kind.__module__)[: messages.NAME],
            "name": str(kind.__qualname__)[: messages.NAME],
            "arguments": plain_arguments(error, report),
            "origin": len(self._raised) - 1 if origin is None else None,
            "yours": origin,
            "told": report,
        }

    def _rebuilt(self, raised: Raised) -> BaseException:
        """Rebuild the exception that the other process reports. If this process was the first to raise the exception,
        return the original object.
        """
        yours = raised.yours
        ours = self._raised[yours] if yours is not None and yours < len(self._raised) else None
        if raised.report is None and self._described is None:
            self._end(Malformed("the message does not describe the exception that was raised"))
        error = ours if ours is not None else rebuilt(raised)
        self._foreign.append((error, raised))
        return error

    def _encode(self, value: Any, *, any_number: bool = False) -> Any:
        try:
            return codec.encode(value, self._objects, any_number=any_number)
        except CannotCross:
            return self._objects.large_object(value)

    def _decode(self, data: Any) -> Any:
        return codec.decode(data, self._objects)

    def _read(self, reader: Callable[[Any], Any], data: Any) -> Any:
        """Read data with `reader`, and end the conversation if this fails."""
        try:
            return reader(data)
        except Malformed as error:
            self._end(error)
        except MemoryError:
            raise
        except Exception as error:
            self._end(Malformed("%s: %s" % (type(error).__name__, error)))

    def _end(self, why: BaseException) -> NoReturn:
        self.ended = self.ended or why
        raise self.ended from None


def become(old: Any, new: Any) -> Any:
    """Copy the content of `new` into `old` if possible. Return `old` if the content was copied, otherwise `new`."""
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
    if isinstance(old, (collections.deque, bytearray)):
        old.clear()
        old.extend(new)
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
