"""Connect to a Ray cluster, or start one on this machine, without exposing API keys. Convert Ray's errors."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

from repair_bench.traces.faults import ExecutorError, Fault, UsageError

HARMLESS = frozenset({"HOME", "LANG", "LD_LIBRARY_PATH", "LOGNAME", "PATH", "PYTHONPATH", "REPAIR_BENCH_ENVS", "SHELL",
                      "TMPDIR", "TZ", "USER", "VIRTUAL_ENV", "XDG_DATA_HOME"})  # fmt: skip
"""Besides Ray's own, Ray processes inherit only these variables, because API keys can have any name."""
KNOCK_SECONDS = 10.0
CONNECT_SECONDS = 60.0
"""Time limit, in seconds, for connecting to a running cluster."""
_TRY = """
import logging, sys, ray
ray.init(address=sys.argv[1], log_to_driver=False, logging_level=logging.CRITICAL)
ray.shutdown()
"""
OBJECT_STORE_BYTES = 256 << 20
"""Size of a local cluster's object store. Programs and outcomes are small, so Ray's default of a third of the memory is
not needed.
"""


def connect(address: str | None) -> bool:
    """Connect to the cluster at `address` or RAY_ADDRESS. Without an address, start a cluster for this machine only.

    Returns False if this process was already connected; the caller must then leave the connection open. Raises
    UsageError if Ray is not installed or no cluster answers.
    """
    address = address or os.environ.get("RAY_ADDRESS") or "local"
    if address.startswith("ray://"):
        raise UsageError(
            f"--ray-address {address}: Ray Client is not supported. Start repair-bench on a node of the cluster and "
            "pass HOST:PORT, or auto"
        )
    if problem := connection_error(address, KNOCK_SECONDS):  # Ray would keep trying for minutes
        raise UsageError(f"no Ray cluster responded at {address}: {problem}")
    with bare_environment():
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # no telemetry
        os.environ["RAY_DEDUP_LOGS_SKIP_REGEX"] = "."  # keep the nodes' events out of our output
        if address == "local":  # Ray then listens only on the loopback interface; it reads this variable on import
            os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        try:
            import ray
        except ImportError:
            raise UsageError('--backend ray needs Ray: install it with pip install "repair-bench[cluster]"') from None
        if ray.is_initialized():
            return False
        if address != "local":
            _try(address)
        own = {"include_dashboard": False, "object_store_memory": OBJECT_STORE_BYTES} if address == "local" else {}
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **own)
        except Exception as error:  # noqa: BLE001 - Ray raises plain exceptions
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
            raise UsageError(f"cannot use a Ray cluster at {address}: {reason}") from None
        return True


def connection_error(address: str, seconds: float) -> str | None:
    """Try to connect to an address of the form HOST:PORT, and return the error, if any. Return None for any other
    address.
    """
    host, _, port = address.rpartition(":")
    if host and port.isdecimal():
        try:
            socket.create_connection((host, int(port)), seconds).close()
        except (OSError, OverflowError) as error:
            return str(error)
    return None


def _try(address: str) -> None:
    """Connect in a separate process, because Ray hangs or exits if a different service answers. Raises UsageError."""
    problem = f"no Ray service answered within {CONNECT_SECONDS:.0f} s"
    try:
        done = subprocess.run(
            [sys.executable, "-c", _TRY, address],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=CONNECT_SECONDS,
            check=False,
        )
        if done.returncode == 0:
            return
        problem = (done.stderr.strip().splitlines() or [f"the connection test returned {done.returncode}"])[-1]
    except subprocess.TimeoutExpired:
        pass
    raise UsageError(f"cannot use a Ray cluster at {address}: {problem}")


@contextlib.contextmanager
def bare_environment() -> Iterator[None]:
    """Hide all environment variables that are not known to be harmless from processes started within this context."""
    before = dict(os.environ)
    scrub()
    try:
        yield
    finally:
        os.environ.update({name: value for name, value in before.items() if name not in os.environ})


def scrub() -> None:
    """Delete all environment variables of this process except harmless ones."""
    for name in [*os.environ]:
        if name not in HARMLESS and not name.startswith(("RAY_", "LC_")):
            del os.environ[name]


class Lost(Exception):  # noqa: N818 - an event: another node takes over
    """The node, its actor or the connection was lost."""


def wait(answer: Any, seconds: float) -> Any:
    """Return the result of a remote call. Raises Lost, and any Fault or UsageError that was raised on the node."""
    import ray

    try:
        return ray.get(answer, timeout=seconds)
    except broken() as error:
        raise sort_out(error) from error


def broken() -> tuple[type[BaseException], ...]:
    """Return the classes of exceptions that a call to a lost node can raise. Ray may re-raise an actor's SystemExit."""
    import ray

    return (ray.exceptions.RayError, SystemExit)


def sort_out(error: BaseException) -> Exception:
    """Convert an exception raised by a remote call. Return the Fault or UsageError that the node raised, if any.

    If the node raised an exception that is neither a Fault nor a UsageError, return an ExecutorError. If the node did
    not answer, return Lost.
    """
    import ray

    if isinstance(error, ray.exceptions.RayTaskError):
        expected = isinstance(error.cause, Fault | UsageError)
        return error.cause if expected else ExecutorError(f"error on a cluster node: {error.cause!r}")
    if isinstance(error, SystemExit):
        return Lost("its process has ended")
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    why = next((line for line in lines if "because" in line), lines[0] if lines else "no answer in time")
    return Lost(textwrap.shorten(f"{type(error).__name__}: {why}", 160))
