"""Log the events of a run with structlog, to `run.log` and optionally to standard error.

An event consists of a name, IDs, numbers and the types of exceptions. Events contain no text from a provider, model or
candidate, because that text may contain a key, a prompt or a completion. Nothing is written until `show` or
`log_to_run` is called.
"""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import structlog
from structlog.contextvars import bound_contextvars, merge_contextvars
from structlog.processors import JSONRenderer, KeyValueRenderer, TimeStamper, add_log_level
from structlog.typing import EventDict, FilteringBoundLogger

RUN_LOG = "run.log"
LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}

log_context = bound_contextvars
"""Add fields to every event of this task or thread: `with log_context(run="study"): ...`."""


@dataclass(frozen=True)
class _Output:
    level: int
    render: Callable[[Any, str, EventDict], str | bytes]
    write: Callable[[str], object]


_outputs: dict[str | Path, _Output] = {}
"""The active log outputs. The key "stderr" stands for standard error. The key of a run's log file is the path of the
run's directory."""
_own: ContextVar[Path | None] = ContextVar("_own", default=None)
"""The directory of the run to which the events of the current task or thread belong; None if they belong to all
runs."""
_JSON = JSONRenderer()
_TEXT = KeyValueRenderer(key_order=["timestamp", "level", "event", "run", "episode", "attempt"], drop_missing=True)


def show(level: str | None) -> None:
    """Show events at or above a level in `LEVELS` on standard error, one per line. None: show none."""
    _outputs.pop("stderr", None)
    if level is not None:
        _outputs["stderr"] = _Output(LEVELS[level], _TEXT, _to_stderr)


@contextlib.contextmanager
def log_to_run(directory: Path) -> Iterator[None]:
    """Append events of level `info` and above to `run.log` in a run's directory, as JSON lines.

    Events of other concurrent runs are excluded. If the file cannot be opened, print a warning on standard error.
    """
    try:
        file = (directory / RUN_LOG).open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        with contextlib.suppress(OSError, ValueError):
            _to_stderr(f"{directory / RUN_LOG} cannot be written: {error.strerror}. Events are not logged.\n")
        yield
        return
    _outputs[directory] = _Output(logging.INFO, _JSON, file.write)
    token = _own.set(directory)
    try:
        yield
    finally:
        _own.reset(token)
        del _outputs[directory]
        with contextlib.suppress(OSError):  # the disk may be full
            file.close()


def _to_stderr(line: str) -> None:
    sys.stderr.write(line)  # not stored, because a live display may replace the stream


def _is_wanted(_: Any, method: str, event: EventDict) -> EventDict:
    if any(output.level <= LEVELS[method] for output in [*_outputs.values()]):
        return event
    raise structlog.DropEvent


def _write(_: Any, method: str, event: EventDict) -> NoReturn:
    for name, output in [*_outputs.items()]:
        if isinstance(name, Path) and _own.get() not in (None, name):
            continue  # another run's
        if output.level <= LEVELS[method]:
            # a log that cannot be written does not stop a run
            with contextlib.suppress(OSError, ValueError):
                output.write(f"{output.render(None, method, dict(event))!s}\n")
    raise structlog.DropEvent


log: FilteringBoundLogger = structlog.wrap_logger(
    structlog.ReturnLogger(),  # never called: the last processor writes
    [_is_wanted, merge_contextvars, add_log_level, TimeStamper(fmt="iso", utc=True), _write],
    wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG),
    context_class=dict,
    cache_logger_on_first_use=True,
)
"""The logger for events with fields: `log.info("opened", episodes=3)`. Thread-safe."""
