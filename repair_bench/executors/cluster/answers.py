"""Answers of actors, and errors of Ray."""

from __future__ import annotations

import textwrap
from typing import Any

from repair_bench.traces.faults import ExecutorError, Fault, UsageError


class Lost(Exception):  # noqa: N818 - an event, handled by another node
    """The node, its actor or the connection is lost."""


def wait(answer: Any, seconds: float) -> Any:
    """Return the answer to a call. Raises Lost, and a Fault or UsageError from the node."""
    import ray

    try:
        return ray.get(answer, timeout=seconds)
    except broken() as error:
        raise sort_out(error) from error


def broken() -> tuple[type[BaseException], ...]:
    """Return the exceptions of a call to a lost node. Ray may pass on an actor's SystemExit."""
    import ray

    return (ray.exceptions.RayError, SystemExit)


def sort_out(error: BaseException) -> Exception:
    """Convert an error of Ray or a timeout: to a Fault or UsageError of the node, or to Lost."""
    import ray

    if isinstance(error, ray.exceptions.RayTaskError):
        expected = isinstance(error.cause, Fault | UsageError)
        return error.cause if expected else ExecutorError(f"on a node of the cluster: {error.cause!r}")
    if isinstance(error, SystemExit):
        return Lost("its process has left")
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    why = next((line for line in lines if "because" in line), lines[0] if lines else "no answer in time")
    return Lost(textwrap.shorten(f"{type(error).__name__}: {why}", 160))
