"""Monitor and terminate processes and their descendants. In all functions, `proc` is a descriptor of /proc."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from typing import Container, Iterable, Iterator, List, Tuple

from .sandbox import syscalls

SWEEP_SECONDS = 5.0
HUGE_BYTES = 2 << 20
_MADV_COLLAPSE = 25


def open_proc() -> int:
    return os.open("/proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)


def read_proc(proc: int, path: str) -> bytes:
    """Return the content of a file under /proc, which is empty if the process has ended."""
    with contextlib.suppress(OSError), _opened(proc, path, os.O_RDONLY) as fd:
        return os.read(fd, 1 << 16)
    return b""


@contextlib.contextmanager
def _opened(proc: int, path: str, flags: int) -> Iterator[int]:
    fd = os.open(path, flags | os.O_CLOEXEC, dir_fd=proc)
    try:
        yield fd
    finally:
        os.close(fd)


def cpu_seconds(pid: int, *, ticks: bool = False) -> float:
    """Return the CPU time of all threads of a process, in seconds, as measured by the scheduler; 0 for a reaped
    process.

    `ticks`: whether to count whole ticks, as RLIMIT_CPU does. Counting whole ticks can overestimate the CPU time by two
    thirds on a busy machine.
    """
    try:  # the ID of the clock, as in the kernel's `posix-timers.h`
        return time.clock_gettime((~pid << 3) | (0 if ticks else 2))
    except OSError:
        return 0.0


def wanted_seconds(proc: int, pid: int) -> float:
    """Return the time, in seconds, that the busiest thread of a process spent running or waiting for a core.

    The time is the sum of the first two fields of the thread's schedstat file.

    Only the busiest thread counts, because one of two threads that share a core waits while the other runs. Returns 0
    if the kernel does not measure the times of threads.
    """
    wanted = 0
    for task in _tasks(proc, pid):
        fields = read_proc(proc, "%d/task/%s/schedstat" % (pid, task)).split()
        wanted = max(wanted, sum(map(int, fields[:2])))
    return wanted / 1e9


def memory_of_self(proc: int) -> Tuple[int, int]:
    """Return the size and data size of this process in bytes, as counted by RLIMIT_AS and RLIMIT_DATA."""
    sizes = {b"VmSize": 0, b"VmData": 0}
    for line in read_proc(proc, "self/status").splitlines():
        name, _, rest = line.partition(b":")
        if name in sizes:
            sizes[name] = int(rest.split()[0]) << 10
    return sizes[b"VmSize"], sizes[b"VmData"]


def threads(proc: int, pid: object) -> int:
    """Return the number of threads of a process; 0 if the process has ended.

    `pid`: the process ID, or "self".
    """
    return len(_tasks(proc, pid))


def use_huge_pages(proc: int) -> None:
    """Move private memory to huge pages, if they are available, so that a fork copies one page table entry instead of
    512.
    """
    with open(os.open("self/maps", os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc), "rb") as maps:
        lines = maps.read().splitlines()
    for line in lines:
        span, rights, _, _, inode = line.split()[:5]
        if rights == b"rw-p" and inode == b"0":  # writable, private and not mapped from a file
            start, end = (int(bound, 16) for bound in span.split(b"-"))
            for address in range(-(-start // HUGE_BYTES) * HUGE_BYTES, end // HUGE_BYTES * HUGE_BYTES, HUGE_BYTES):
                syscalls.libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(HUGE_BYTES), _MADV_COLLAPSE)


def _tasks(proc: int, pid: object) -> List[str]:
    with contextlib.suppress(OSError), _opened(proc, "%s/task" % pid, os.O_RDONLY | os.O_DIRECTORY) as tasks:
        return os.listdir(tasks)
    return []


def offer_to_oom_killer(proc: int) -> None:
    """Make the kernel kill this process first if the machine runs out of memory."""
    with contextlib.suppress(OSError), _opened(proc, "self/oom_score_adj", os.O_WRONLY) as fd:
        os.write(fd, b"1000")


def descendants(proc: int, pid: int) -> List[int]:
    """Return all descendants of a process except orphans, which `sweep` handles."""
    found: List[int] = []
    todo = [pid]
    while todo and len(found) < 10_000:
        parent = todo.pop()
        for task in _tasks(proc, parent):
            below = _children(proc, parent, task)
            found += below
            todo += below
    return found


def _children(proc: int, pid: int, thread: object) -> List[int]:
    """Return the children that a thread of a process has started, including zombies."""
    return [int(p) for p in read_proc(proc, "%d/task/%s/children" % (pid, thread)).split()]


def close_all_except(kept: Iterable[int], end: int) -> None:
    """Close all descriptors of this process below `end`, except `kept`."""
    low = 0
    for fd in sorted(kept):
        if low < fd:  # closerange(0, 0) would close all
            os.closerange(low, fd)
        low = fd + 1
    os.closerange(low, end)


def kill(pid: int) -> None:
    """Send SIGKILL to a process and to the process group that it leads."""
    for send in (os.kill, os.killpg):
        with contextlib.suppress(OSError):
            send(pid, signal.SIGKILL)


def sweep(proc: int, spare: Container[int]) -> None:
    """Kill and reap all children of this single-threaded process, except the children in `spare`.

    If the parent of a candidate's descendant exits, the descendant becomes a child of this process.
    """
    own = os.getpid()
    deadline = time.monotonic() + SWEEP_SECONDS
    while time.monotonic() < deadline:
        stray = [pid for pid in _children(proc, own, own) if pid not in spare]
        if not stray:
            return
        for pid in stray:
            kill(pid)
        for pid in stray:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.0005)
