"""The forked child: confines itself, runs one candidate, and exits."""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import signal
import sys
import tempfile
from typing import Any, Dict, NoReturn, Tuple

from .. import processes
from ..candidate import ScriptTrial, Trial
from ..sandbox import syscalls
from ..sandbox.lockdown import Lockdown
from ..text import read_frame, write_all
from ..unit_tests.guarded import GuardedTrial
from ..unit_tests.stub import ServedTrial, StubbedTrial
from ..unit_tests.unit_test import UnitTestTrial

TRIALS = {
    "call": Trial,
    "script": ScriptTrial,
    "test": UnitTestTrial,
    "guarded": GuardedTrial,
    "served": ServedTrial,
    "stubbed": StubbedTrial,
}
"""The class that handles each kind of request."""
MAX_FDS = 4096
OPEN_FILES = 256
STACK_BYTES = 8 << 20
_ULIMIT = {
    resource.RLIMIT_AS: ("v", 1 << 10),
    resource.RLIMIT_DATA: ("d", 1 << 10),
    resource.RLIMIT_CPU: ("t", 1),
    resource.RLIMIT_FSIZE: ("f", 1 << 10),
    resource.RLIMIT_NOFILE: ("n", 1),
    resource.RLIMIT_STACK: ("s", 1 << 10),
}
"""The option of the shell command `ulimit` for each limit, with its unit in bytes or seconds."""


class Unmet(OSError):  # noqa: N818 - the driver reports it as a usage error
    """Raised if one of the user's resource limits is lower than a candidate needs."""


def kernel_cpu_seconds(cpu_seconds: float) -> int:
    """Return a value of RLIMIT_CPU that is high enough for the server's more exact limit to apply first."""
    return int(1.5 * cpu_seconds) + 10


def run(
    fds: Dict[str, int],
    limits: Dict[str, Any],
    directory: str,
    baseline: Tuple[int, int],
    lockdown: Lockdown,
    adapter: Any,
    server: int,
) -> NoReturn:
    """Confine this process, run the candidate from `fds["request"]`, send the result to `fds["result"]`, and exit.

    An error that occurs before the candidate is loaded is an infrastructure error or an error in the suite's code. It
    is reported on `fds["status"]`. This descriptor is closed before the candidate runs, so that no candidate can report
    such an error.
    """
    boundary = "executor"
    try:
        processes.offer_to_oom_killer(lockdown.proc)
        fds = _take_descriptors({**fds, **lockdown.descriptors})
        _confine(limits, directory, baseline, lockdown, server)
        request = read_frame(fds["request"])
        trial = TRIALS[request["kind"]](request, adapter, fds.get("peer"))
        boundary = "suite"
        trial.prepare()
    except BaseException as error:
        message = "%s: %s" % (type(error).__name__, error)
        os.write(fds["status"], json.dumps({"fault": message[:2000], "boundary": boundary}).encode())
        os._exit(1)
    os.close(fds["status"])
    os.close(fds["request"])
    streams = (sys.stdout, sys.stderr)  # the candidate may replace them
    try:
        result = trial.run()
        for stream in streams:
            with contextlib.suppress(Exception):
                stream.flush()
        write_all(fds["result"], result)
    finally:
        # Exit handlers, threads and finalisers of the candidate must not run.
        os._exit(0)


def _take_descriptors(fds: Dict[str, int]) -> Dict[str, int]:
    """Set up the standard streams, and close all descriptors of the fork server except `fds`.

    Return the descriptors that remain open.
    """
    null = os.open(os.devnull, os.O_RDONLY)
    for name, number in (("stdout", 1), ("stderr", 2)):
        os.dup2(fds[name], number)
    os.dup2(null, 0)
    kept = {name: fd for name, fd in fds.items() if name not in ("stdout", "stderr")}
    processes.close_all_except([0, 1, 2, *kept.values()], MAX_FDS)
    # The server's streams are set up for a file. With line buffering, little output is lost if the child is killed.
    for name, number in (("stdout", 1), ("stderr", 2)):
        binary = io.BufferedWriter(io.FileIO(number, "w", closefd=False))
        stream = io.TextIOWrapper(binary, encoding="utf-8", errors="backslashreplace", line_buffering=True)
        setattr(sys, name, stream)
        setattr(sys, "__%s__" % name, stream)
    return kept


def _confine(
    limits: Dict[str, Any], directory: str, baseline: Tuple[int, int], lockdown: Lockdown, server: int
) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    os.setsid()
    # Orphans remain children of the candidate until it ends; then the server adopts and kills them.
    syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() not in (server, 0):  # the server died before PDEATHSIG was set; 0: parent in another namespace
        os._exit(1)
    directory = lockdown.enter_directory(directory, int(limits["disk_mb"]) << 20)
    os.environ.update(HOME=directory, TMPDIR=directory, MPLCONFIGDIR=directory)
    tempfile.tempdir = None
    for kind, wanted in promised(limits, baseline).items():
        resource.setrlimit(kind, (wanted, wanted))
    for kind in (resource.RLIMIT_CORE, resource.RLIMIT_MEMLOCK, resource.RLIMIT_MSGQUEUE):
        resource.setrlimit(kind, (0, 0))
    lockdown.drop_rights(directory)


def promised(limits: Dict[str, Any], baseline: Tuple[int, int]) -> Dict[int, int]:
    """Return the resource limits that the kernel enforces on a candidate. Raises Unmet if one of these resource limits
    exceeds the user's own limit.

    The candidate's memory limit is added to the server's own memory, because the server maps more than a gigabyte for a
    framework.
    """
    memory = int(limits["memory_mb"]) << 20
    wanted = {
        resource.RLIMIT_AS: baseline[0] + memory,
        resource.RLIMIT_DATA: baseline[1] + memory,
        resource.RLIMIT_CPU: kernel_cpu_seconds(limits["cpu_seconds"]),
        resource.RLIMIT_FSIZE: int(limits["disk_mb"]) << 20,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_STACK: STACK_BYTES,
    }
    for kind, (option, unit) in _ULIMIT.items():
        _, maximum = resource.getrlimit(kind)
        if maximum != resource.RLIM_INFINITY and maximum < wanted[kind]:
            needed = -(-wanted[kind] // unit)
            raise Unmet("the limit `ulimit -%s` is %d, but at least %d is required" % (option, maximum // unit, needed))
    return wanted
