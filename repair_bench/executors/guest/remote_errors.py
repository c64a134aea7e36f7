"""Exceptions across the socket between two processes: what one was made with, and one of the same class made anew."""

from __future__ import annotations

import builtins
import json
import sys
from typing import Any, Dict, List, Optional

from . import codec


class RemoteError(Exception):
    """An exception of a class that this process does not have."""


def plain_arguments(error: BaseException, failure: Optional[Dict[str, Any]]) -> List[Any]:
    """What an exception was made with, where that is plain; else its message alone."""
    try:
        arguments = list(error.args)
        if all(type(argument) in (str, int, float, bool, type(None)) for argument in arguments):
            json.dumps(arguments, allow_nan=False)
            return arguments
    except Exception:  # an exception class can lie about everything
        arguments = []
    message = (failure or {}).get("exception") or {}
    return [message.get("message", "")]


def rebuilt(info: Dict[str, Any]) -> BaseException:
    """An exception of the class that is named, if it is a built-in one or a library's; else a RemoteError."""
    name, arguments = str(info.get("name")), info.get("arguments")
    arguments = arguments if isinstance(arguments, list) else []
    module = str(info.get("module"))
    found = sys.modules.get(module) if module.split(".", maxsplit=1)[0] in codec.FRAMEWORKS else builtins
    kind = getattr(found, name, None)
    if isinstance(kind, type) and issubclass(kind, BaseException):
        try:
            return kind(*arguments)
        except Exception:  # made from other things than its `args`
            return RemoteError(*arguments)
    return RemoteError(*arguments)
