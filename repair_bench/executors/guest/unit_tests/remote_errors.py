"""Exceptions across the socket between two processes: what one was made with, and one of the same class made anew."""

from __future__ import annotations

import builtins
import json
import sys
from typing import Any, Dict, List, Optional

from .. import codec
from .messages import Raised

_ENDS = (StopIteration, StopAsyncIteration, GeneratorExit)
"""By these Python ends a loop."""


class RemoteError(Exception):
    """An exception of a class that this process does not have."""


def plain_arguments(error: BaseException, told: Optional[Dict[str, Any]]) -> List[Any]:
    """What an exception was made with, where that is plain; else its message alone, which `told` has."""
    try:
        arguments = list(error.args)
        if all(type(argument) in (str, int, float, bool, type(None)) for argument in arguments):
            json.dumps(arguments, allow_nan=False)
            return arguments
    except Exception:  # an exception class can lie about everything
        arguments = []
    return [(told or {}).get("exception", {}).get("message", "")]


def rebuilt(raised: Raised) -> BaseException:
    """An exception of the class that is named, if it is a built-in one or a library's; else a RemoteError.

    One that ends a loop is none: a `map` of the test's would take it for the end of its own items.
    """
    from_library = raised.module.split(".", maxsplit=1)[0] in codec.FRAMEWORKS
    kind = getattr(sys.modules.get(raised.module) if from_library else builtins, raised.name, None)
    if isinstance(kind, type) and issubclass(kind, BaseException) and not issubclass(kind, _ENDS):
        try:
            return kind(*raised.arguments)
        except Exception:  # made from other things than its `args`
            return RemoteError(*raised.arguments)
    return RemoteError(*raised.arguments)
