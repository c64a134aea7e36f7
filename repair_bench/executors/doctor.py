"""Which sandbox layers this machine grants."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile

from repair_bench.executors.fork_server import ENVIRONMENT, GUEST
from repair_bench.traces.faults import ExecutorError

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
