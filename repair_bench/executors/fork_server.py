"""The client of a fork server, which starts the server, sends programs to it, detects its death, and stops it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Collection, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from repair_bench.executors.confinement import Unconfined
from repair_bench.executors.guest.fork_server import scratch
from repair_bench.executors.guest.sandbox.lockdown import LAYERS
from repair_bench.executors.private import private_paths
from repair_bench.executors.program import Limits
from repair_bench.frameworks import FRAMEWORKS
from repair_bench.traces.faults import ExecutorError, UsageError

GUEST = Path(__file__).resolve().parent / "guest"
START_SECONDS = 300.0
"""Time limit for starting. Importing a framework takes 1 to 5 seconds on an idle machine, and up to 30 seconds on a
busy machine."""
STOP_SECONDS = 10.0
MESSAGE_BYTES = 1 << 16

ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "MPLBACKEND": "Agg",
    **{f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "RAYON")},
    "JE_ARROW_MALLOC_CONF": "background_thread:false",  # pandas, and therefore Cirq, loads pyarrow if installed
    "QISKIT_PARALLEL": "FALSE",
    "QISKIT_NUM_PROCS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
}
"""All environment variables of a fork server. The driver's own variables stay hidden from candidates. A fixed hash seed
makes the order of sets repeatable. Python is not started with `-I`, because Python would then ignore the seed."""


class ServerDied(Exception):  # noqa: N818 - an event: the executor restarts the server
    """Raised if the fork server ended before it reported the fate of a child."""


class DiedAtStart(ExecutorError):  # noqa: N818 - an event, as above
    """Raised if the fork server was killed or crashed before it was ready."""


class ForkServer:
    """A running fork server of one framework. Thread-safe once started. Close it when done."""

    def __init__(
        self,
        framework: str,
        python: str,
        layers: Collection[str] = LAYERS,
        *,
        extra_imports: bool = False,
        private: Iterable[Path] = (),
        seconds: float | None = None,
    ) -> None:
        """Start the server and wait until its framework is imported.

        `layers`: the sandbox layers to use if the machine allows them. `extra_imports`: whether to also import packages
        that few programs need. `private`: paths to hide in addition to `private_paths`. `seconds`: time limit, by
        default `START_SECONDS`.

        Raises ExecutorError if the server does not start, DiedAtStart if the server exits without an error message, and
        Unconfined if candidates could read private files.
        """
        self.framework = framework
        self._extra_imports = extra_imports
        self._private = private_paths(private)
        self._patience = START_SECONDS if seconds is None else seconds
        interpreter = shutil.which(python)
        if interpreter is None:
            raise ExecutorError(
                f"the {framework} fork server cannot be started: the interpreter {python} was not found"
            )
        self._closing = threading.Lock()
        self._closed = False
        try:
            self._launch(Path(interpreter).absolute())
        except OSError as error:  # a resource limit, or no space for temporary files
            raise ExecutorError(f"the {framework} fork server cannot be started: {error}") from error
        try:
            ready = self._configure([name for name in LAYERS if name in layers])
        except BaseException:
            self.close()
            raise
        self.layers: dict[str, str] = ready["layers"]
        """The state of every sandbox layer: `on`, `off` (not requested), or the reason why the layer is refused."""
        self.versions: dict[str, str] = ready["versions"]
        """The versions of the interpreter and of the framework's imported packages."""

    def submit(self, limits: dict[str, Any], fds: list[int]) -> None:
        """Start a child.

        `fds`: the file descriptors listed in `guest.fork_server.server.PASSED`. The last descriptor, `peer`, may be
        omitted.
        """
        try:
            socket.send_fds(self._control, [json.dumps(limits).encode()], fds)
        except OSError as error:
            raise ServerDied(str(error)) from error

    def close(self) -> None:
        """Stop the server and all its children, and remove its directory. Idempotent."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
            self._control.close()  # the server then stops all children and itself
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            scratch.remove(self._directory)
            self._log.close()

    def last_words(self) -> str:
        with contextlib.suppress(ValueError, OSError):
            size = self._log.seek(0, os.SEEK_END)
            self._log.seek(max(0, size - 2000))
            return self._log.read().decode("utf-8", "replace").strip()
        return ""

    @property
    def pid(self) -> int:
        return self._process.pid

    def _launch(self, interpreter: Path) -> None:
        with contextlib.ExitStack() as on_failure:
            self._directory = tempfile.mkdtemp(prefix="repair-bench-")
            on_failure.callback(scratch.remove, self._directory)
            os.chmod(self._directory, 0o700)  # noqa: PTH101 - the user's umask may forbid everything
            self._log = on_failure.enter_context(tempfile.TemporaryFile())
            near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self._control = on_failure.enter_context(near)
            with far:
                self._process = subprocess.Popen(
                    [interpreter, "-s", "-B", GUEST, str(far.fileno())],
                    env={**ENVIRONMENT, "HOME": self._directory, "MPLCONFIGDIR": self._directory},
                    pass_fds=[far.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=self._log,
                    stderr=self._log,
                    cwd="/",
                    start_new_session=True,
                )
            on_failure.pop_all()  # `close` cleans up from now on

    def _configure(self, layers: list[str]) -> dict[str, Any]:
        added = FRAMEWORKS[self.framework].adapters if self.framework in FRAMEWORKS else None
        config = {
            "framework": self.framework,
            "adapters": None if added is None else str(added.resolve()),
            "extra_imports": self._extra_imports,
            "directory": self._directory,
            "layers": layers,
            "secret": self._private,
            "limits": asdict(Limits()),
        }
        kind: type[ExecutorError] = DiedAtStart
        problem = "the process ended before it was ready"
        self._control.settimeout(self._patience)
        try:
            self._control.send(json.dumps(config).encode())
            answer = json.loads(self._control.recv(MESSAGE_BYTES) or b"{}")
            if "ready" in answer:
                self._control.settimeout(None)
                return dict(answer["ready"])
            if "exposed" in answer:
                raise Unconfined(self.framework, answer["exposed"], answer["layers"])
            if "unmet" in answer:
                raise UsageError(f"{self.framework} programs cannot run here: {answer['unmet']}")
            if "error" in answer:
                kind, problem = ExecutorError, answer["error"]
        except TimeoutError:
            kind, problem = ExecutorError, f"the process was not ready after {self._patience:.0f} s"
        except OSError as error:
            problem = f"{problem} ({error})"
        raise kind(f"the {self.framework} fork server did not start: {problem} {self.last_words()}".strip())
