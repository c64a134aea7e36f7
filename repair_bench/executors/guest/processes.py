"""Seeing and stopping processes: CPU clocks, waiting time for a core, descendants. `proc` is a descriptor of /proc."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from typing import Container, List, Tuple

from .sandbox import syscalls

SWEEP_SECONDS = 5.0
HUGE_BYTES = 2 << 20
_MADV_COLLAPSE = 25


def open_proc() -> int:
    return os.open("/proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)


def read_proc(proc: int, path: str) -> bytes:
    """A file under /proc; empty when the process has gone."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc)
    except OSError:
        return b""
    try:
        return os.read(fd, 1 << 16)
    except OSError:
        return b""
    finally:
        os.close(fd)


def cpu_seconds(pid: int) -> float:
    """CPU seconds of all threads of a process, as the scheduler measures them; 0 when it was reaped."""
    return _clock(pid, 2)


def ticked_seconds(pid: int) -> float:
    """The same as RLIMIT_CPU counts them: whoever runs when the clock ticks is charged the whole tick. On a busy
    machine that is up to two thirds more than was used, or less.
    """
    return _clock(pid, 0)


def _clock(pid: int, kind: int) -> float:
    """The id is as in the kernel's `posix-timers.h`: the complement of the pid shifted by three, and the kind."""
    try:
        return time.clock_gettime((~pid << 3) | kind)
    except OSError:
        return 0.0


def wanted_seconds(proc: int, pid: int) -> float:
    """How long that thread of a process ran or was ready to run that did so longest, of those that are left (the first
    two fields of schedstat). The time of several is not added: threads that share a core wait for one another.
    0 where the kernel does not keep it.
    """
    wanted = 0
    for task in _tasks(proc, pid):
        fields = read_proc(proc, "%d/task/%s/schedstat" % (pid, task)).split()
        wanted = max(wanted, sum(map(int, fields[:2])))
    return wanted / 1e9


def memory_of_self(proc: int) -> Tuple[int, int]:
    """Size and data size of this process, in bytes: what RLIMIT_AS and RLIMIT_DATA count."""
    sizes = {b"VmSize": 0, b"VmData": 0}
    for line in read_proc(proc, "self/status").splitlines():
        name, _, rest = line.partition(b":")
        if name in sizes:
            sizes[name] = int(rest.split()[0]) << 10
    return sizes[b"VmSize"], sizes[b"VmData"]


def threads(proc: int, pid: object) -> int:
    """How many threads a process has; 0 when it has gone. `pid`: a number, or "self"."""
    return len(_tasks(proc, pid))


def use_huge_pages(proc: int) -> None:
    """Put this process's own memory on huge pages where it fills them: a fork has one entry to copy, not 512.

    A page that a child writes to is copied by itself, as before. MADV_COLLAPSE is of Linux 6.1; where it is refused, or
    huge pages are switched off, forking only takes longer.
    """
    with open(os.open("self/maps", os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc), "rb") as maps:
        lines = maps.read().splitlines()
    for line in lines:
        span, rights, _, _, inode = line.split()[:5]
        if rights == b"rw-p" and inode == b"0":  # writable, private and of no file
            start, end = (int(bound, 16) for bound in span.split(b"-"))
            for address in range(-(-start // HUGE_BYTES) * HUGE_BYTES, end // HUGE_BYTES * HUGE_BYTES, HUGE_BYTES):
                syscalls.libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(HUGE_BYTES), _MADV_COLLAPSE)


def _tasks(proc: int, pid: object) -> List[str]:
    try:
        tasks = os.open("%s/task" % pid, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=proc)
    except OSError:
        return []
    try:
        return os.listdir(tasks)
    except OSError:
        return []
    finally:
        os.close(tasks)


def offer_to_oom_killer(proc: int) -> None:
    """When the machine runs out of memory, this process goes first."""
    with contextlib.suppress(OSError):
        fd = os.open("self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC, dir_fd=proc)
        try:
            os.write(fd, b"1000")
        finally:
            os.close(fd)


def children(proc: int, pid: int) -> List[int]:
    """The children of a single-threaded process, zombies included."""
    return [int(p) for p in read_proc(proc, "%d/task/%d/children" % (pid, pid)).split()]


def descendants(proc: int, pid: int) -> List[int]:
    """All processes below one that are still its own; those it orphaned are found by `sweep`."""
    found: List[int] = []
    todo = [pid]
    while todo and len(found) < 10_000:
        parent = todo.pop()
        for task in _tasks(proc, parent):
            below = [int(p) for p in read_proc(proc, "%d/task/%s/children" % (parent, task)).split()]
            found += below
            todo += below
    return found


def kill(pid: int) -> None:
    """SIGKILL to a process and to the group it leads."""
    for send in (os.kill, os.killpg):
        with contextlib.suppress(OSError):
            send(pid, signal.SIGKILL)


def sweep(proc: int, spare: Container[int]) -> int:
    """Kill and reap every child of this process but those to spare, until none is left. Returns how many there were.

    We are the subreaper of all that candidates start: what outlives a candidate becomes a child of ours.
    """
    swept = set()
    deadline = time.monotonic() + SWEEP_SECONDS
    while time.monotonic() < deadline:
        stray = [pid for pid in children(proc, os.getpid()) if pid not in spare]
        if not stray:
            break
        for pid in stray:
            kill(pid)
        for pid in stray:
            with contextlib.suppress(ChildProcessError):
                if os.waitpid(pid, os.WNOHANG)[0]:
                    swept.add(pid)
        time.sleep(0.0005)
    return len(swept)
