"""Which sandbox layers this machine grants, and whether they are enough for a user."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from typing import get_args

from repair_bench.executors.fork_server import ENVIRONMENT, GUEST
from repair_bench.executors.guest.lockdown import LAYERS, ON, WITHOUT
from repair_bench.executors.local import Sandbox
from repair_bench.traces.faults import ExecutorError, UsageError

PROBE_SECONDS = 60.0


def probe(python: str = sys.executable) -> dict[str, str]:
    """Every layer (`guest.lockdown.LAYERS`) with `on` or the reason why it cannot be had. Each is tried out.

    In a process of its own: this one may have threads, and is not to be forked. Raises ExecutorError.
    """
    with tempfile.TemporaryDirectory(prefix="repair-bench-") as directory:
        command = [python, "-s", "-B", str(GUEST), "probe", directory]
        try:
            done = subprocess.run(
                command, env=ENVIRONMENT, capture_output=True, text=True, timeout=PROBE_SECONDS, check=True
            )
            return dict(json.loads(done.stdout))
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            raise ExecutorError(f"the sandbox layers cannot be probed with {python}: {error}") from error


def report() -> list[dict[str, str]]:
    """A row a layer: `layer`, `state` (`on` or why it cannot be had) and `without`, what its absence means."""
    try:
        states = probe()
    except ExecutorError as error:
        states = dict.fromkeys(LAYERS, str(error))
    return [{"layer": name, "state": states[name], "without": WITHOUT[name]} for name in LAYERS]


def require(sandbox: str, platform: str = sys.platform) -> Sandbox:
    """`sandbox` as it was given, when this machine can meet it; raises UsageError when it cannot.

    `strict` needs every layer; `best` a system that has layers at all, which is Linux alone.
    """
    choices: tuple[Sandbox, ...] = get_args(Sandbox)
    known = {choice: choice for choice in choices}
    if sandbox not in known:
        raise UsageError(f"--require-sandbox {sandbox!r}: choose from {', '.join(choices)}")
    if sandbox != "none" and platform != "linux":
        raise UsageError(
            f"candidates cannot be confined on {platform}: run repair-bench on Linux (or in a container), "
            "or, for code that you trust as your own, with --require-sandbox none"
        )
    if sandbox == "strict":
        refused = [f"{name} ({state})" for name, state in probe().items() if state != ON]
        if refused:
            raise UsageError(f"--require-sandbox strict: this machine refuses {', '.join(refused)}")
    return known[sandbox]
