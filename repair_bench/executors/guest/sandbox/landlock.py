"""Restrict a process to listed files with Landlock (Linux 5.13 or later; see landlock(7)).

From ABI 4 on, Landlock also covers TCP. From ABI 6 on, Landlock also covers signals to other processes and abstract
UNIX sockets. Because Landlock covers neither UDP nor UNIX sockets with a path, seccomp refuses all sockets.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import struct
from typing import Iterable, Iterator, Tuple

from . import secrets, syscalls

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same on every architecture
_RULE_PATH_BENEATH = 1
_CREATE_VERSION = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
MAKE_CHAR, MAKE_BLOCK = 1 << 6, 1 << 11
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_FIRST_ABI = (1 << 13) - 1
_NET = 0b11  # bind and connect TCP
_SCOPE = 0b11  # abstract UNIX sockets, signals

READ = EXECUTE | READ_FILE | READ_DIR
OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE


def ruleset(readable: Iterable[Tuple[str, int]], writable: Iterable[str], devices: Iterable[str]) -> int:
    """Return the descriptor of a ruleset, for use with `restrict`. Raises OSError.

    `readable`: paths, each with the rights for the path and for everything below it. `writable`: directories with all
    rights except execution. `devices`: device files that may be read and written. Missing paths are skipped.
    """
    version = syscalls.libc.syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_CREATE_VERSION))
    known = _FIRST_ABI
    for since, right in ((2, REFER), (3, TRUNCATE), (5, IOCTL_DEV)):
        if version >= since:
            known |= right
    attributes = struct.pack("=Q", known)
    if version >= 4:
        attributes += struct.pack("=Q", _NET)
    if version >= 6:
        attributes += struct.pack("=Q", _SCOPE)
    made = syscalls.syscall(
        _CREATE,
        ctypes.c_char_p(attributes),
        ctypes.c_size_t(len(attributes)),
        ctypes.c_uint32(0),
        called="landlock_create_ruleset",
    )
    try:
        everything = known & ~(MAKE_CHAR | MAKE_BLOCK | EXECUTE | IOCTL_DEV)
        for path, rights in readable:
            _allow(made, path, rights & known)
        for path in writable:
            _allow(made, path, everything)
        for path in devices:
            _allow(made, path, READ_FILE | WRITE_FILE)
    except BaseException:
        os.close(made)
        raise
    return made


def restrict(rules: int) -> None:
    """Permanently restrict this process and its children to a ruleset, and close the ruleset's descriptor.

    After two calls with different rulesets, the process has only the rights that both rulesets grant. Requires
    no-new-privileges. Raises OSError.
    """
    try:
        syscalls.syscall(_RESTRICT, ctypes.c_int(rules), ctypes.c_uint32(0), called="landlock_restrict_self")
    finally:
        os.close(rules)


def reading(shown: Iterable[str], hidden: Iterable[str]) -> Iterator[Tuple[str, int]]:
    """Yield rules that make everything below `shown` readable, except `hidden` paths. The names of hidden paths stay
    visible.

    A rule covers everything below its path. Therefore, a directory that contains a hidden path needs a separate rule
    for each entry.
    """
    refused = {os.path.realpath(path) for path in hidden}
    todo = [os.path.realpath(path) for path in shown]
    while todo:
        path = todo.pop()
        if path in refused:
            continue
        if any(secrets.below(secret, path) for secret in refused):
            yield path, READ_DIR
            with contextlib.suppress(OSError):  # the candidate cannot list it either
                todo += [entry.path for entry in os.scandir(path) if not entry.is_symlink()]
        else:
            yield path, READ


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            rights &= OF_A_FILE
        rule = struct.pack("=Qi", rights, fd)
        syscalls.syscall(
            _ADD,
            ctypes.c_int(rules),
            ctypes.c_int(_RULE_PATH_BENEATH),
            ctypes.c_char_p(rule),
            ctypes.c_uint32(0),
            called="landlock_add_rule %s" % path,
        )
    finally:
        os.close(fd)
