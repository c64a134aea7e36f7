"""System calls that the standard library of Python 3.8 lacks.

Each function raises OSError if the kernel refuses the call.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from typing import Any, Optional

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long

PR_SET_PDEATHSIG, PR_SET_SECCOMP = 1, 22
PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 24, 36, 38

_PIDFD_OPEN = 434  # the same number on every architecture, as for all calls newer than 2019


def check(result: int, called: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, "%s: %s" % (called, os.strerror(number)))
    return int(result)


def syscall(number: int, *args: Any, called: str) -> int:
    return check(libc.syscall(ctypes.c_long(number), *args), called)


def prctl(option: int, *args: int) -> int:
    words = [ctypes.c_ulong(a) for a in (*args, 0, 0, 0, 0)[:4]]
    return check(libc.prctl(ctypes.c_int(option), *words), "prctl(%d)" % option)


def pidfd_open(pid: int) -> int:
    """Return a close-on-exec descriptor that becomes readable when the process ends (Linux 5.3 or later)."""
    return syscall(_PIDFD_OPEN, ctypes.c_int(pid), ctypes.c_uint(0), called="pidfd_open")


CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x0002_0000, 0x0400_0000, 0x0800_0000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x1000_0000, 0x2000_0000, 0x4000_0000
CLONE_THREAD = 0x0001_0000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_NOATIME, MS_NODIRATIME, MS_RELATIME = 1 << 10, 1 << 11, 1 << 21
MS_BIND, MS_REC, MS_PRIVATE = 1 << 12, 1 << 14, 1 << 18
MNT_DETACH = 2

_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}


def unshare(flags: int) -> None:
    check(libc.unshare(ctypes.c_int(flags)), "unshare(%#x)" % flags)


def setns(fd: int, kind: int) -> None:
    check(libc.setns(ctypes.c_int(fd), ctypes.c_int(kind)), "setns")


def mount(source: Optional[str], target: str, kind: Optional[str], flags: int, data: Optional[str] = None) -> None:
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind, data)]
    result = libc.mount(texts[0], texts[1], texts[2], ctypes.c_ulong(flags), texts[3])
    check(result, "mount on %s" % target)


def unmount(target: str) -> None:
    check(libc.umount2(os.fsencode(target), ctypes.c_int(MNT_DETACH)), "unmount %s" % target)


def pivot_root(new: str, old: str) -> None:
    machine = platform.machine()
    if machine not in _PIVOT_ROOT:
        raise OSError(errno.ENOSYS, "pivot_root: the system call number on %s is unknown" % machine)
    syscall(_PIVOT_ROOT[machine], os.fsencode(new), os.fsencode(old), called="pivot_root")


def drop_capabilities() -> None:
    """Drop all capabilities and the right to gain capabilities by executing a file."""
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0) != 0:
            break  # past the last capability of this kernel, or nothing to drop
    header = struct.pack("=Ii", 0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this process
    check(libc.capset(ctypes.c_char_p(header), ctypes.c_char_p(bytes(24))), "capset")
