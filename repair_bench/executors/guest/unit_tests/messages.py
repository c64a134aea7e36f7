"""Messages between a candidate's process and its test's process.

Incoming messages are untrusted. Each message is read field by field into a class of this module, or `Malformed` is
raised. `docs/sandbox.md` lists the messages that each side sends.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

from ..text import clean

MAX_NAMES = 10_000
MAX_ARGUMENTS = 10_000
NAME = 1000
"""The maximum length of a name, in characters."""
TYPE, MESSAGE, TRACEBACK = 200, 2000, 4000
"""The maximum length, in characters, of each part of an exception."""

NATURES = ("function", "class", "value")
OWN_LIMITS = ("memory", "disk")
"""The resource limits that a candidate's process is allowed to report as exceeded. The only other event that a
candidate's process is allowed to report is an exception."""


class Malformed(BaseException):
    """Raised if the other side sent an invalid message.

    This class is not an `Exception`, so that tests do not catch it.
    """


class Call(NamedTuple):
    """A request to call a function in the process that receives the request."""

    target: Union[str, int]
    """The name of a function (only the test may call functions by name), or the number of an object that was received
    from the called process earlier."""
    arguments: List[Any]
    keywords: Dict[str, Any]
    seeds: List[Any]
    """The random seeds that the test has set since it last called a function of the candidate, each as [library,
    argument]. A candidate's seeds are ignored."""


class Answer(NamedTuple):
    """The result and the effects of a call."""

    value: Any
    same: Optional[int]
    """The index of the argument that the function returned; None if the function did not return an argument."""
    changed: List[Tuple[int, Any]]
    """The index and the new value of each changed argument."""


class Raised(NamedTuple):
    """An exception that a call raised."""

    module: str
    name: str
    arguments: List[Any]
    origin: Optional[int]
    """The number that the sender of the message assigned to the exception; None if the exception was not first raised
    in the sender's process."""
    yours: Optional[int]
    """The number that the receiver of the message assigned to the exception; None if the exception was not first raised
    in the receiver's process."""
    report: Optional[Dict[str, Any]]
    """The candidate's report: {"status": "exception", "exception": {...}} or one of `OWN_LIMITS`."""


def loads(data: bytes) -> Any:
    """Decode the JSON text of a message. Raises Malformed."""
    try:
        return json.loads(data, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise Malformed("invalid JSON: %s" % type(error).__name__) from None


def read_names(message: Any) -> Dict[str, Any]:
    """Return the names in a message.

    If a name refers to an object from a library, the name is mapped to [module] or [module, name]. Any other name is
    mapped to one of `NATURES`. Raises Malformed.
    """
    names = _fields(message, "names")[0]
    if not isinstance(names, dict) or len(names) > MAX_NAMES:
        raise Malformed("invalid names")
    for name, nature in names.items():
        library = isinstance(nature, list) and len(nature) in (1, 2) and all(map(_is_name, nature))
        if not _is_name(name) or not (library or nature in NATURES):
            raise Malformed("invalid name kind")
    return names


def read_call(message: Any) -> Call:
    target, arguments, keywords, seeds = _fields(message, "call", "arguments", "keywords", "seeds")
    if not (_is_name(target) or _is_number(target)):
        raise Malformed("invalid call target")
    if not isinstance(arguments, list) or not isinstance(keywords, dict) or not isinstance(seeds, list):
        raise Malformed("invalid call arguments")
    if len(arguments) + len(keywords) > MAX_ARGUMENTS:
        raise Malformed("too many arguments")
    return Call(target, arguments, keywords, seeds)


def read_reply(message: Any, given: int) -> Union[Answer, Raised]:
    """Read the other process's reply to a call. Raises Malformed.

    `given`: the number of arguments of the call.
    """
    if isinstance(message, dict) and "raised" in message:
        return _read_raised(_fields(message, "raised")[0])
    value, same, changed = _fields(message, "value", "same", "changed")
    if same is not None and not _is_number(same, given):
        raise Malformed("the message refers to an argument that does not exist")
    if not isinstance(changed, list) or len(changed) > given:
        raise Malformed("invalid changed arguments")
    for pair in changed:
        if not isinstance(pair, list) or len(pair) != 2 or not _is_number(pair[0], given):
            raise Malformed("invalid changed argument")
    return Answer(value, same, [(index, now) for index, now in changed])


def _read_raised(info: Any) -> Raised:
    module, name, arguments, origin, yours, report = _fields(
        info, "module", "name", "arguments", "origin", "yours", "told"
    )
    if not _is_name(module) or not _is_name(name) or not isinstance(arguments, list):
        raise Malformed("invalid exception")
    if not all(part is None or isinstance(part, (str, int, float)) for part in arguments):
        raise Malformed("invalid exception arguments")
    if not all(number is None or _is_number(number) for number in (origin, yours)):
        raise Malformed("invalid exception number")
    return Raised(module, name, arguments, origin, yours, None if report is None else _read_report(report))


def _read_report(report: Any) -> Dict[str, Any]:
    """Copy only the permitted fields of a candidate's report. Raises Malformed."""
    if isinstance(report, dict) and len(report) == 1 and report.get("status") in OWN_LIMITS:
        return {"status": report["status"]}
    status, exception = _fields(report, "status", "exception")
    kind, message, traceback = _fields(exception, "type", "message", "traceback")
    if status != "exception" or not all(isinstance(text, str) for text in (kind, message, traceback)):
        raise Malformed("invalid exception description")
    described = {"type": clean(kind, TYPE), "message": clean(message, MESSAGE)}
    return {"status": "exception", "exception": {**described, "traceback": clean(traceback, TRACEBACK)}}


def _fields(message: Any, *names: str) -> List[Any]:
    if not isinstance(message, dict) or set(message) != set(names):
        raise Malformed("expected the fields %s" % ", ".join(names))
    return [message[name] for name in names]


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= NAME


def _is_number(value: Any, below: Optional[int] = None) -> bool:
    return type(value) is int and value >= 0 and (below is None or value < below)


def _refuse(constant: str) -> Any:
    raise ValueError(constant)
