"""Rewrite messages for Python callers: replace command-line options with arguments and fields."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from repair_bench.traces.faults import Fault, UsageError

P = ParamSpec("P")
R = TypeVar("R")

_ARGUMENTS = {
    "--accept-versions": "accept_versions=True",
    "--no-preflight": "preflight=False",
    "--python": "pythons",
}
"""Options whose names differ from the names of the corresponding Python arguments or fields."""
_OPTION = re.compile(
    r"""
    `[^`]*`                                                        # a command, left as it is
    | (?:repair-bench\ run\ )?--resume\ (?P<directory>'[^']*'|[^\s,;]+)
    | -c\ (?P<field>[a-z_.]+=\S+)
    | (?<![\w-])(?P<option>--[a-z][a-z-]*)
      (?:[ =](?P<value>'[^']*'|"[^"]*"|-?\d[\d.]*\b|none\b|[A-Z_/]{2,}\b))?
    """,
    re.VERBOSE,
)


def in_python(message: str) -> str:
    """Rewrite a message so that it names Python arguments instead of command-line options."""
    return _OPTION.sub(_argument, message)


def _argument(match: re.Match[str]) -> str:
    from repair_bench.agent.experiment.options import OPTIONS

    if directory := match["directory"]:
        place = directory.strip("'")
        call = f"out={place!r}, resume=True"
        return f"`repair_bench.run(..., {call})`" if match[0].startswith("repair-bench") else f"`{call}`"
    if match["field"]:
        return f"`{match['field']}`"
    option, value = match["option"], match["value"]
    if option is None:
        return match[0]
    fields = {one.flag: one.path for one in OPTIONS}
    name = _ARGUMENTS.get(option) or fields.get(option) or option.removeprefix("--").replace("-", "_")
    if value is None or "=" in name:
        return f"`{name}`" + (f" {value}" if value else "")
    return f"`{name}={repr(value) if value == 'none' else value}`"


def speaks_python(call: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function so that its errors name arguments instead of options."""

    @functools.wraps(call)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return call(*args, **kwargs)
        except (UsageError, Fault) as error:
            error.args = tuple(in_python(one) if isinstance(one, str) else one for one in error.args)
            raise

    return called
