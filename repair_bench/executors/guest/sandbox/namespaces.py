"""Namespaces in which the fork server and its candidates see only a few files, no network and no other processes.

The server enters the namespaces before it imports the framework, because a process with several threads cannot enter
them. The root becomes a small read-only tree with the interpreter, its packages and the system's libraries. Only `/box`
and `/dev/shm`, two tmpfs file systems of limited size, are writable. Each candidate gets a private `/box` and a PID
namespace. In its PID namespace, the candidate has process ID 1, so that a single SIGKILL ends all processes of the
candidate.
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
"""Files that libraries read when they are imported. These files describe the machine, not its processes."""
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
    """Return the paths that a framework needs: interpreter, packages, this folder and the system's libraries.

    `copies`: copies of repair-bench. A folder on the import path that contains a copy of repair-bench may be a project
    folder that also contains tests and runs. Therefore, a folder that contains a copy of repair-bench is omitted unless
    it is a folder for installed packages (`site-packages` or `dist-packages`). `shown`: additional folders. Only the
    standard subfolders of an interpreter's prefix (such as `bin` and `lib`) are included, because the prefix may be the
    folder of a project.
    """
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    paths = [os.path.join(prefix, part) for prefix in secrets.prefixes() for part in _PARTS]
    for entry in map(os.path.abspath, sys.path):
        holds_one = any(secrets.below(copy, entry) for copy in copies)
        if os.path.basename(entry) in secrets.LIBRARIES or not holds_one:
            paths.append(entry)
    return [path for path in dict.fromkeys([*paths, *SYSTEM, here, *shown]) if os.path.exists(path)]


def enter(layers: Collection[str], directory: str, hidden: Collection[str], shown: Collection[str]) -> int:
    """Move this process into new namespaces and return a file descriptor for their /proc.

    `shown`, `hidden`: see `secrets.arrange`. Execution continues in a child process. If `pid_ns` is in `layers`, the
    child has process ID 1. The calling process waits for the child, removes `directory`, and exits with the child's
    status. Raises OSError.
    """
    wanted = [name for name in FLAGS if name in layers]
    if not wanted:
        return processes.open_proc()
    user, group = os.geteuid(), os.getegid()
    outside = os.open(os.path.dirname(directory), os.O_PATH | os.O_CLOEXEC)
    syscalls.unshare(sum(FLAGS[name] for name in wanted))
    # Only our user and group are mapped, so no other identity can be assumed.
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
    """Give this candidate's process its own mount namespace, with an empty /box that can hold `disk_bytes` bytes."""
    syscalls.unshare(syscalls.CLONE_NEWNS)
    _tmpfs(BOX, "mode=1777,size=%d,nr_inodes=4096" % disk_bytes)
    _tmpfs(SHM, "mode=1777,size=1m,nr_inodes=64")


@contextlib.contextmanager
def new_process_namespace(own: int) -> Iterator[None]:
    """Within this context, a forked child becomes process 1 of a new namespace.

    `own`: a descriptor of the current namespace.
    """
    syscalls.unshare(syscalls.CLONE_NEWPID)
    try:
        yield
    finally:
        syscalls.setns(own, syscalls.CLONE_NEWPID)


def _continue_in_a_child(outside: int, name: str) -> None:
    """Fork, and return only in the child process.

    The child is the first process of the namespaces that were just created. The child may enter further namespaces.
    """
    ended, lives = os.pipe()
    pid = os.fork()
    if pid == 0:
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        os.close(lives)
        if select.select([ended], [], [], 0)[0]:  # the parent died before PDEATHSIG was set
            os._exit(1)
        os.close(ended)
        return
    processes.close_all_except([outside, lives], 4096)
    _, status = os.waitpid(pid, 0)
    with contextlib.suppress(OSError):
        os.rmdir(name, dir_fd=outside)  # the path becomes invalid when the root changes
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1)


def _own_proc(directory: str) -> int:
    """Return a file descriptor for the /proc of this PID namespace. The /proc file system is mounted to open the
    descriptor, and is unmounted before the function returns.
    """
    syscalls.mount("proc", directory, "proc", _SAFE | syscalls.MS_NOEXEC)
    proc = os.open(directory, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    syscalls.unmount(directory)
    return proc


def _change_root(root: str, hidden: Collection[str], shown: Collection[str]) -> None:
    if os.stat("/dev/null").st_rdev != os.makedev(1, 3):  # otherwise a covered file would have content
        raise OSError("/dev/null is not the null device")
    _tmpfs(root, "mode=755,size=1m")
    bare = os.stat(root).st_dev
    covers: List[str] = []
    for path in sorted([*shown, *hidden], key=len):  # the longest path takes precedence
        target = root + path
        if path in shown:
            _bind(root, path)
        elif os.path.lexists(target) and os.lstat(target).st_dev != bare:
            covers += _cover(target)
    for path in (*PROC_FILES, *DEVICES):  # devices can be written to on a read-only mount; their mode cannot change
        _bind(root, path)
    for cover in covers:
        _seal(cover)
    for path in (BOX, SHM, "/outside"):
        os.makedirs(root + path, exist_ok=True)
    if not os.path.lexists(root + TMP):  # an interpreter may be installed there
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
    """Cover a path with an empty folder or file. Return the folders that must still be made read-only."""
    if os.path.isdir(target):
        _tmpfs(target, "mode=755,size=1m")
        return [target]
    syscalls.mount("/dev/null", target, None, syscalls.MS_BIND)
    _seal(target)
    return []


def _bind(root: str, path: str) -> None:
    """Make a path visible read-only in the new root. Symbolic links are copied."""
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
    # In a user namespace the flags of a mount are locked: a remount that omits one fails with EPERM.
    flags = os.statvfs(target).f_flag
    kept = sum(mount_flag for flag, mount_flag in _LOCKED if flags & flag)
    syscalls.mount(None, target, None, syscalls.MS_REMOUNT | syscalls.MS_BIND | syscalls.MS_RDONLY | kept)


def _tmpfs(path: str, options: str) -> None:
    syscalls.mount("tmpfs", path, "tmpfs", _SAFE, options)
