"""The fork server, which imports a framework once, then forks a child for each candidate and watches it.

The server handles many children concurrently, and never reads code, cases or results. A request contains only the
limits and open descriptors; the child reads the rest from these descriptors. Therefore, no child inherits memory that
contains another candidate's data.

On the control socket (SOCK_SEQPACKET), the driver first sends the configuration. The server answers with `{"ready":
...}` or `{"error": ...}`. If candidates are able to read a secret path, the server answers with `{"exposed": ...}`. If
one of the user's limits is too low, the server answers with `{"unmet": ...}`. After the configuration, each message
from the driver starts a child process. The message contains the child's limits and the descriptors named in `PASSED`.
The server writes the child's fate, a JSON object, to the status socket and closes the socket. If the driver closes its
end of a status socket, the child is killed. If the driver closes the control socket, all children are killed.
"""

from __future__ import annotations

import array
import contextlib
import gc
import importlib
import json
import os
import resource
import select
import signal
import socket
import time
import traceback
from typing import Any, Dict, NoReturn, Optional, Tuple

from .. import framework, processes
from ..sandbox import syscalls
from ..sandbox.lockdown import Exposed, Lockdown
from . import child, scratch, warm_up

PASSED = ("request", "result", "stdout", "stderr", "status", "peer")
"""The names of the descriptors that are passed to a child process, in order. The last descriptor, the socket `peer`, is
passed only for isolated unit tests."""
TICK_SECONDS = 0.05
MAX_PROCESSES = 64
MAX_THREADS = 512
"""The maximum number of threads of a candidate. The limit is needed because the machine has a limited number of process
IDs."""
MESSAGE_BYTES = 1 << 16


class Job:
    """A running child."""

    def __init__(self, pid: int, status: socket.socket, limits: Dict[str, Any], directory: str) -> None:
        self.pid = pid
        self.pidfd = syscalls.pidfd_open(pid)
        self.status = status
        self.limits = limits
        self.directory = directory
        self.started = time.monotonic()
        self.killed: Optional[str] = None
        self.wanted = 0.0

    @property
    def wall_seconds(self) -> float:
        return time.monotonic() - self.started


class Server:
    def __init__(self, control: socket.socket, config: Dict[str, Any]) -> None:
        self._control = control
        self._base = config["directory"]
        # This comes first, because later steps may start threads, and a process with threads cannot enter namespaces.
        shown = [] if config["adapters"] is None else [config["adapters"]]
        self._lockdown = Lockdown(config["layers"], self._base, config["secret"], shown)
        self._proc = self._lockdown.proc
        self._adapter = framework.load(config["framework"], config["adapters"], extra_imports=config["extra_imports"])
        warm_up.rehearse(self._adapter, self._proc)
        threads = processes.threads(self._proc, "self")
        if threads != 1:  # a child does not inherit threads, so a lock that one holds would never be released
            raise RuntimeError("%d threads are running after the imports, so forking is not safe" % threads)
        self._jobs: Dict[int, Job] = {}
        self._by_fd: Dict[int, Tuple[str, Job]] = {}
        self._poll = select.poll()
        self._count = 0
        syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
        _, maximum = resource.getrlimit(resource.RLIMIT_NOFILE)
        files = child.MAX_FDS if maximum == resource.RLIM_INFINITY else min(child.MAX_FDS, maximum)
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
        importlib.invalidate_caches()
        gc.collect()
        gc.freeze()
        processes.use_huge_pages(self._proc)
        self._baseline = processes.memory_of_self(self._proc)
        child.promised(config["limits"], self._baseline)

    def properties(self) -> Dict[str, Any]:
        """Return the sandbox layers, and the versions of Python and of the imported packages."""
        return {"layers": self._lockdown.layers, "versions": framework.versions(self._adapter)}

    def serve(self) -> None:
        """Serve requests until the driver closes the control socket or dies."""
        self._poll.register(self._control, select.POLLIN)
        while True:
            events = [fd for fd, _ in self._poll.poll(TICK_SECONDS * 1000 if self._jobs else None)]
            for fd in events:
                if fd in self._by_fd:
                    kind, job = self._by_fd[fd]
                    if kind == "ended":
                        self._finish(job)
                    else:
                        self._poll.unregister(fd)
                        self._kill(job, "asked")
            for job in self._jobs.values():
                self._enforce(job)
            # This comes last, because a new child may reuse the number of a descriptor in the events above.
            if self._control.fileno() in events and not self._accept():
                self._stop()
                return

    def _accept(self) -> bool:
        """Receive and process one request. Return False if the driver has closed the control socket."""
        size = array.array("i").itemsize
        message, ancillary, _, _ = self._control.recvmsg(MESSAGE_BYTES, socket.CMSG_SPACE(len(PASSED) * size))
        fds = array.array("i")
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                fds.frombytes(data[: len(data) - len(data) % size])
        if not message:
            return False
        self._fork(json.loads(message.decode()), dict(zip(PASSED, fds)))
        return True

    def _fork(self, limits: Dict[str, Any], fds: Dict[str, int]) -> None:
        self._count += 1
        directory = os.path.join(self._base, str(self._count))
        if not self._lockdown.own_directories:
            os.mkdir(directory, 0o700)
        own = os.getpid()
        status = socket.socket(fileno=fds["status"])
        try:
            with self._lockdown.around_fork():
                pid = os.fork()
                if pid == 0:
                    child.run(fds, limits, directory, self._baseline, self._lockdown, self._adapter, own)
        except OSError as error:
            fault = "no process can be started: %s" % error.strerror
            _answer(status, {"fault": fault, "boundary": "executor", "exit": 1})
            status.close()
            scratch.remove(directory)
            return
        finally:
            for name, fd in fds.items():
                if name != "status":
                    os.close(fd)
        job = Job(pid, status, limits, directory)
        self._jobs[pid] = job
        self._by_fd[job.pidfd] = ("ended", job)
        self._by_fd[job.status.fileno()] = ("asked", job)
        self._poll.register(job.pidfd, select.POLLIN)
        self._poll.register(job.status, select.POLLIN)

    def _enforce(self, job: Job) -> None:
        if job.killed:
            return
        below = processes.descendants(self._proc, job.pid)
        cpu = sum(map(processes.cpu_seconds, [job.pid, *below]))
        if cpu > job.limits["cpu_seconds"]:
            self._kill(job, "cpu_timeout")
        elif job.wall_seconds > job.limits["wall_seconds"]:
            self._kill(job, "wall_timeout")
        elif len(below) > MAX_PROCESSES or processes.threads(self._proc, job.pid) > MAX_THREADS:
            self._kill(job, "processes")
        elif not self._lockdown.own_directories and scratch.overfull(job.directory, job.limits["disk_mb"] << 20):
            self._kill(job, "disk")

    def _kill(self, job: Job, reason: str) -> None:
        if job.killed is None:
            job.killed = reason
            job.wanted = processes.wanted_seconds(self._proc, job.pid)
        processes.kill(job.pid)

    def _finish(self, job: Job) -> None:
        with contextlib.suppress(OSError):
            os.killpg(job.pid, signal.SIGKILL)  # before the child is reaped: then its number may be reused
        if job.killed:  # the kernel counts a wait once it is over: the main thread's last wait ended with its death
            job.wanted = max(job.wanted, processes.wanted_seconds(self._proc, job.pid))
        ticked = processes.cpu_seconds(job.pid, ticks=True)
        _, wait_status, usage = os.wait4(job.pid, 0)
        wall = job.wall_seconds
        cpu, limit = usage.ru_utime + usage.ru_stime, job.limits["cpu_seconds"]
        if job.killed is None and (cpu > limit or ticked >= child.kernel_cpu_seconds(limit)):
            job.killed = "cpu_timeout"  # it ended between two checks, or reached the kernel's limit
        del self._jobs[job.pid]
        processes.sweep(self._proc, spare=self._jobs)
        scratch.remove(job.directory)
        fate = {
            "exit": -os.WTERMSIG(wait_status) if os.WIFSIGNALED(wait_status) else os.WEXITSTATUS(wait_status),
            "killed": job.killed,
            "cpu_seconds": cpu,
            "wall_seconds": wall,
            "wanted_seconds": job.wanted,
            "max_rss_kb": usage.ru_maxrss,
        }
        for fd in (job.pidfd, job.status.fileno()):
            del self._by_fd[fd]
            with contextlib.suppress(KeyError):
                self._poll.unregister(fd)
        _answer(job.status, fate)
        job.status.close()
        os.close(job.pidfd)

    def _stop(self) -> None:
        for job in list(self._jobs.values()):
            self._kill(job, "asked")
            self._finish(job)
        processes.sweep(self._proc, spare=())
        scratch.remove(self._base)


def main(fd: int) -> NoReturn:
    """Serve the driver at the other end of a socket, then exit without running the interpreter's shutdown code."""
    control = socket.socket(fileno=fd)
    control.set_inheritable(False)
    try:
        server = Server(control, json.loads(control.recv(MESSAGE_BYTES).decode()))
        _answer(control, {"ready": server.properties()})
    except child.Unmet as error:
        _answer(control, {"unmet": str(error)})
        os._exit(1)
    except Exposed as found:
        _answer(control, {"exposed": found.path, "layers": found.layers})
        os._exit(1)
    except BaseException as error:
        _answer(control, {"error": "".join(traceback.format_exception_only(type(error), error)).strip()})
        os._exit(1)
    server.serve()
    os._exit(0)


def _answer(driver: socket.socket, message: Dict[str, Any]) -> None:
    with contextlib.suppress(OSError):  # `serve` notices that the driver has closed the socket
        driver.send(json.dumps(message).encode(), socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
