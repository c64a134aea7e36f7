"""Messages about the sandbox: which layers are active, and the error if candidates cannot be confined."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Mapping

from repair_bench.executors.guest.sandbox.lockdown import ON
from repair_bench.executors.guest.sandbox.namespaces import FLAGS
from repair_bench.traces.faults import UsageError

OFF = "off"
OVERRIDE = "for code that you trust, use --require-sandbox none"


class Unconfined(UsageError):  # noqa: N818 - a kind of usage error
    """Raised if candidates could read files that determine their verdicts.

    `layers`: the state of every sandbox layer.
    """

    def __init__(self, framework: str, path: str, layers: Mapping[str, str]) -> None:
        if layers["landlock"] == ON or (layers["mount_ns"] == ON and layers["capabilities"] == ON):
            problem = (
                f"{framework} programs could read {path}: move this path or the interpreter (--python), so that "
                f"neither path contains the other; or, {OVERRIDE}"
            )
        else:
            problem = (
                f"{framework} programs cannot be confined, because this machine denies {_missing(layers)}. These "
                f"programs could read {path} and every other file of this user. Allow user namespaces or Landlock (see "
                f"`repair-bench doctor`), or, {OVERRIDE}"
            )
        super().__init__(problem)
        self.layers = dict(layers)


def words(layers: Mapping[str, str]) -> str:
    """Return a short text that lists the active layers, and the missing layers with the reasons."""
    if all(state == OFF for state in layers.values()):
        return "off; programs run with all of this user's rights"
    namespaces = [name for name in FLAGS if layers[name] == ON]
    parts = ["user namespaces"] if len(namespaces) == len(FLAGS) else namespaces
    parts += [name for name in ("landlock", "seccomp") if layers[name] == ON]
    missing = _missing(layers)
    return f"{', '.join(parts) or 'none'}; missing: {missing}" if missing else ", ".join(parts)


def _missing(layers: Mapping[str, str]) -> str:
    """List the sandbox layers that this machine does not support, with the reasons. Omit layers that need a missing
    layer.
    """
    return ", ".join(
        f"{'user namespaces' if name == 'user_ns' else name} ({state})"
        for name, state in layers.items()
        if state not in (ON, OFF) and not state.startswith("needs ")
    )


class Announcement:
    """Prints the active and the missing sandbox layers as one line. Each distinct line is printed only once.

    `quiet`: whether to print only lines about missing layers.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._written: set[str] = set()
        self._lock = threading.Lock()

    def __call__(self, layers: Mapping[str, str], node: str | None = None) -> None:
        """Report the state of a fork server's sandbox layers. `node`: the server's node in a cluster."""
        line = words(layers)
        with self._lock:
            differs = bool(self._written)
            if line in self._written:
                return
            self._written.add(line)
        if not self._quiet or any(state != ON for state in layers.values()):
            where = f" on node {node}" if node is not None and differs else ""
            self.note(f"sandbox{where}: {line}")

    def note(self, line: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # standard error may be closed
            sys.stderr.write(f"{line}\n")
