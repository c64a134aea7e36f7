"""Pass exceptions between processes: send the arguments of an exception, and create an exception of the same class from
them.
"""

from __future__ import annotations

import builtins
import json
import sys
from typing import Any, Dict, List, Optional

from .. import kinds
from .messages import Raised

_ENDS = (StopIteration, StopAsyncIteration, GeneratorExit)
"""Exceptions that could terminate a loop in the test, such as StopIteration."""


class RemoteError(Exception):
    """Replaces an exception whose class is unknown in this process."""


def plain_arguments(error: BaseException, report: Optional[Dict[str, Any]]) -> List[Any]:
    """Return the arguments of an exception if all of them are plain values, otherwise the message in `report`."""
    try:
        arguments = list(error.args)
        if all(type(argument) in (str, int, float, bool, type(None)) for argument in arguments):
            json.dumps(arguments, allow_nan=False)
            return arguments
    except Exception:  # an exception class may raise anything
        arguments = []
    return [(report or {}).get("exception", {}).get("message", "")]


def rebuilt(raised: Raised) -> BaseException:
    """Recreate an exception whose class is built-in or belongs to a framework.

    Replace any other exception, and any exception of a class in `_ENDS`, with a RemoteError.
    """
    from_library = raised.module.split(".", maxsplit=1)[0] in kinds.FRAMEWORKS
    kind = getattr(sys.modules.get(raised.module) if from_library else builtins, raised.name, None)
    if isinstance(kind, type) and issubclass(kind, BaseException) and not issubclass(kind, _ENDS):
        try:
            return kind(*raised.arguments)
        except Exception:  # its constructor takes arguments other than `args`
            return RemoteError(*raised.arguments)
    return RemoteError(*raised.arguments)
