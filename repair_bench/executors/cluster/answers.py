"""What an actor answers, or why it does not."""

from __future__ import annotations

import textwrap
from typing import Any

from repair_bench.traces.faults import ExecutorError, Fault, UsageError


class Lost(Exception):  # noqa: N818 - an event, answered by asking another node
    """There will be no answer: the node, its actor or the way there is gone."""


def wait(answer: Any, seconds: float) -> Any:
    """The answer to a call. Raises Lost, and what the node found wrong: a Fault or UsageError."""
    import ray

    try:
        return read(ray.get(answer, timeout=seconds))
    except broken() as error:
        raise sort_out(error) from error


def broken() -> tuple[type[BaseException], ...]:
    """What a call of Ray's raises when the other side is gone.

    Where an actor leaves on purpose, Ray can hand its exit on to who asked: a SystemExit, which would end our process.
    """
    import ray

    return (ray.exceptions.RayError, SystemExit)


def read(answer: Any) -> Any:
    """The answer; one that is a Fault or UsageError is raised."""
    if isinstance(answer, Fault | UsageError):
        raise answer
    return answer


def sort_out(error: BaseException) -> Lost | ExecutorError:
    """What an error of Ray's, or a wait that was too long, means."""
    import ray

    if isinstance(error, ray.exceptions.RayTaskError):
        return ExecutorError(f"on a node of the cluster: {error.cause!r}")
    if isinstance(error, SystemExit):
        return Lost("its process has left")
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    why = next((line for line in lines if "because" in line), lines[0] if lines else "no answer in time")
    return Lost(textwrap.shorten(f"{type(error).__name__}: {why}", 160))
