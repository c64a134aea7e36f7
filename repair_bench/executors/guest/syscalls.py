"""The system calls that the standard library of Python 3.8 lacks. Each raises OSError when it is refused."""

from __future__ import annotations

import ctypes
import os
from typing import Any

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP = 1, 4, 22
PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 24, 36, 38

_PIDFD_OPEN = 434  # the same number on every architecture, as for all calls newer than 2019


def check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, "%s: %s" % (what, os.strerror(number)))
    return int(result)


def syscall(number: int, *args: Any, what: str) -> int:
    return check(libc.syscall(ctypes.c_long(number), *args), what)


def prctl(option: int, *args: int) -> int:
    words = [ctypes.c_ulong(a) for a in (*args, 0, 0, 0, 0)[:4]]
    return check(libc.prctl(ctypes.c_int(option), *words), "prctl(%d)" % option)


def pidfd_open(pid: int) -> int:
    """A file descriptor, closed on exec, that becomes readable when the process ends (Linux 5.3)."""
    return syscall(_PIDFD_OPEN, ctypes.c_int(pid), ctypes.c_uint(0), what="pidfd_open")
