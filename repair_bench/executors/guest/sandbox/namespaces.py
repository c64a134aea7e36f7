"""Namespaces: the fork server, and so every candidate, sees a machine with few files, no network, no other processes.

The server enters them before it imports anything (a process with threads cannot). The root becomes a small read-only
tree of the interpreter, its packages and the system's libraries; `/box`, a bounded tmpfs, is the only place to write.
Every candidate then gets a mount namespace with a `/box` of its own, which vanishes with it, and a process namespace in
which it is process 1: one SIGKILL ends all that it started.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
from typing import Collection, Iterable, Iterator, List

from .. import processes
from . import secrets, syscalls

BOX = "/box"
SHM = "/dev/shm"  # noqa: S108 - in the new root, where it is private
TMP = "/tmp"  # noqa: S108 - likewise
FLAGS = {
    "user_ns": syscalls.CLONE_NEWUSER,
    "mount_ns": syscalls.CLONE_NEWNS,
    "pid_ns": syscalls.CLONE_NEWPID,
    "net_ns": syscalls.CLONE_NEWNET,
    "ipc_ns": syscalls.CLONE_NEWIPC,
    "uts_ns": syscalls.CLONE_NEWUTS,
}
PROC_FILES = tuple("/proc/" + name for name in ("meminfo", "cpuinfo", "stat", "loadavg", "filesystems"))
"""Files about the machine that libraries read when they are imported; nothing about any process."""
DEVICES = tuple("/dev/" + name for name in ("null", "zero", "full", "random", "urandom"))
SYSTEM = [
    "/bin",
    "/lib",
    "/lib64",
    "/usr/bin",
    "/usr/lib",
    "/usr/lib64",
    "/usr/share",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/mime.types",
    "/sys/devices/system/cpu",
]
_PARTS = ("bin", "lib", "lib64", "share", "etc", "pyvenv.cfg")
_SAFE = syscalls.MS_NOSUID | syscalls.MS_NODEV
_LOCKED = (
    (os.ST_NOSUID, syscalls.MS_NOSUID),
    (os.ST_NODEV, syscalls.MS_NODEV),
    (os.ST_NOEXEC, syscalls.MS_NOEXEC),
    (os.ST_NOATIME, syscalls.MS_NOATIME),
    (os.ST_NODIRATIME, syscalls.MS_NODIRATIME),
    (os.ST_RELATIME, syscalls.MS_RELATIME),
)


def readable_paths(copies: Collection[str], shown: Iterable[str]) -> List[str]:
    """What a framework needs to run: this interpreter, its packages, this folder and the system's libraries.

    `copies`: of this package. An import path above one is a project's folder, with tests and runs, and is left out; a
    folder of many packages is not. `shown`: further folders. A prefix is taken by its parts, as it may be a project's
    own folder.
    """
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    paths = [os.path.join(prefix, part) for prefix in secrets.prefixes() for part in _PARTS]
    for entry in map(os.path.abspath, sys.path):
        holds_one = any(secrets.below(copy, entry) for copy in copies)
        if os.path.basename(entry) in secrets.LIBRARIES or not holds_one:
            paths.append(entry)
    return [path for path in dict.fromkeys([*paths, *SYSTEM, here, *shown]) if os.path.exists(path)]


def enter(layers: Collection[str], directory: str, hidden: Collection[str], shown: Collection[str]) -> int:
    """Move this process into new namespaces and return a descriptor of the /proc that belongs to them.

    `shown`, `hidden`: as `secrets.arrange` gives them.

    The caller goes on in a child, with `pid_ns` as process 1 of the namespace; the process that called only waits for
    the child to end, removes `directory` and ends likewise. Raises OSError when the kernel refuses.
    """
    wanted = [name for name in FLAGS if name in layers]
    if not wanted:
        return processes.open_proc()
    user, group = os.geteuid(), os.getegid()
    outside = os.open(os.path.dirname(directory), os.O_PATH | os.O_CLOEXEC)
    syscalls.unshare(sum(FLAGS[name] for name in wanted))
    # One user and one group, ourselves: no other identity can be taken on.
    maps = {"setgroups": "deny", "uid_map": "%d %d 1" % (user, user), "gid_map": "%d %d 1" % (group, group)}
    for name, content in maps.items():
        with open("/proc/self/" + name, "w", encoding="ascii") as file:
            file.write(content)
    _continue_in_a_child(outside, os.path.basename(directory))
    os.close(outside)
    proc = processes.open_proc()
    if "mount_ns" in layers:
        syscalls.mount(None, "/", None, syscalls.MS_REC | syscalls.MS_PRIVATE)
        if "pid_ns" in layers:
            os.close(proc)
            proc = _own_proc(directory)
        _change_root(directory, hidden, shown)
        os.environ.update(HOME=BOX, TMPDIR=BOX, MPLCONFIGDIR=BOX)
    return proc


def private_mounts(disk_bytes: int) -> None:
    """In a candidate's process: a mount namespace with an empty /box of a given size."""
    syscalls.unshare(syscalls.CLONE_NEWNS)
    _tmpfs(BOX, "mode=1777,size=%d,nr_inodes=4096" % disk_bytes)
    _tmpfs(SHM, "mode=1777,size=1m,nr_inodes=64")


@contextlib.contextmanager
def new_process_namespace(own: int) -> Iterator[None]:
    """What is forked inside this block is process 1 of a namespace. `own`: a descriptor of ours, to return to."""
    syscalls.unshare(syscalls.CLONE_NEWPID)
    try:
        yield
    finally:
        syscalls.setns(own, syscalls.CLONE_NEWPID)


def _continue_in_a_child(outside: int, name: str) -> None:
    """Go on as the first process of the new namespaces: only there may we later create and leave further ones."""
    ended, lives = os.pipe()
    pid = os.fork()
    if pid == 0:
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        os.close(lives)
        if select.select([ended], [], [], 0)[0]:  # it died before it could take us with it; in here its number is 0
            os._exit(1)
        os.close(ended)
        return
    first, second = sorted((outside, lives))
    os.closerange(0, first)
    os.closerange(first + 1, second)
    os.closerange(second + 1, 4096)
    _, status = os.waitpid(pid, 0)
    with contextlib.suppress(OSError):
        os.rmdir(name, dir_fd=outside)  # by descriptor: the path leads nowhere since the root was changed
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1)


def _own_proc(directory: str) -> int:
    """A descriptor of a /proc of this process namespace, which is mounted nowhere."""
    syscalls.mount("proc", directory, "proc", _SAFE | syscalls.MS_NOEXEC)
    proc = os.open(directory, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    syscalls.unmount(directory)
    return proc


def _change_root(root: str, hidden: Collection[str], shown: Collection[str]) -> None:
    _tmpfs(root, "mode=755,size=1m")
    bare = os.stat(root).st_dev
    covers: List[str] = []
    for path in sorted([*shown, *hidden], key=len):  # the longer one decides
        target = root + path
        if path in shown:
            _bind(root, path)
        elif os.path.lexists(target) and os.lstat(target).st_dev != bare:
            covers += _cover(target)
    for path in (*PROC_FILES, *DEVICES):  # to write to a device needs no writable mount; to change its mode does
        _bind(root, path)
    for cover in covers:
        _seal(cover)
    for path in (BOX, SHM, "/outside"):
        os.makedirs(root + path, exist_ok=True)
    if not os.path.lexists(root + TMP):  # an interpreter that is installed there stays visible
        os.symlink(BOX, root + TMP)
    os.chdir(root)
    syscalls.pivot_root(".", "outside")
    os.chdir("/")
    syscalls.unmount("/outside")
    os.rmdir("/outside")
    _tmpfs(BOX, "mode=1777,size=64m,nr_inodes=4096")
    _tmpfs(SHM, "mode=1777,size=1m,nr_inodes=64")
    _seal("/")


def _cover(target: str) -> List[str]:
    """Put something empty in the place of a folder or file; the folders that are still to be sealed."""
    if os.path.isdir(target):
        _tmpfs(target, "mode=755,size=1m")
        return [target]
    syscalls.mount("/dev/null", target, None, syscalls.MS_BIND)
    _seal(target)
    return []


def _bind(root: str, path: str) -> None:
    """Show a path in the new root, read-only; a symbolic link stays one."""
    target = root + path
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.islink(path):
        if not os.path.lexists(target):
            os.symlink(os.readlink(path), target)
        return
    if not os.path.exists(path):
        return
    if os.path.isdir(path):
        os.makedirs(target, exist_ok=True)
    elif not os.path.exists(target):
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    syscalls.mount(path, target, None, syscalls.MS_BIND | syscalls.MS_REC)
    _seal(target)


def _seal(target: str) -> None:
    # In a user namespace the flags that a mount came with are locked: they must be named again, or it is EPERM.
    flags = os.statvfs(target).f_flag
    kept = sum(mount_flag for flag, mount_flag in _LOCKED if flags & flag)
    syscalls.mount(None, target, None, syscalls.MS_REMOUNT | syscalls.MS_BIND | syscalls.MS_RDONLY | kept)


def _tmpfs(path: str, options: str) -> None:
    syscalls.mount("tmpfs", path, "tmpfs", _SAFE, options)
