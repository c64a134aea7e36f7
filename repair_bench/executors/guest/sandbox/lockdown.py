"""The layers of the sandbox for candidates. Each layer is probed, and is used if the machine allows it.

`docs/sandbox.md` describes the layers of `LAYERS`, from the outermost to the innermost, and their limits.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from typing import Any, Callable, Collection, ContextManager, Dict, List, Tuple

from . import landlock, namespaces, seccomp, secrets, syscalls

LAYERS: Tuple[str, ...] = (*namespaces.FLAGS, "capabilities", "no_new_privs", "landlock", "seccomp")
NEEDS = {
    "mount_ns": ("user_ns",),
    "pid_ns": ("user_ns", "mount_ns"),
    "net_ns": ("user_ns",),
    "ipc_ns": ("user_ns",),
    "uts_ns": ("user_ns",),
    "landlock": ("no_new_privs",),
    "seccomp": ("no_new_privs",),
}
ON = "on"

WITHOUT = {
    "user_ns": "candidates run as ordinary processes of this user, and all other namespaces are unavailable, too",
    "mount_ns": "the machine's real files are visible; the size of the private directory is monitored, not limited",
    "pid_ns": "a candidate sees all processes on the machine; processes that it leaves behind are found and killed",
    "net_ns": "only seccomp denies candidates network access",
    "ipc_ns": "candidates share memory and message queues with all processes on the machine",
    "uts_ns": "candidates can read the machine's host name",
    "capabilities": "candidates that run as root keep the privileges of root",
    "no_new_privs": "candidates may gain privileges by executing a file; landlock and seccomp are unavailable, too",
    "landlock": "the mount namespace alone protects files from candidates",
    "seccomp": "candidates may open sockets, start processes, trace other processes, and make any system call",
}
"""For each layer, a sentence for users about the effect of its absence."""


BOX_BYTES = 64 << 20
"""The default disk space of a candidate."""
HIDING = {"mount_ns", "landlock"}
"""The layers that hide files from candidates."""
HOLDING = {"landlock", "capabilities", "seccomp"}
"""The layers that prevent a candidate from undoing the mounts with which `mount_ns` hides files. Any one of these three
layers is enough to protect the mounts."""


class Exposed(Exception):  # noqa: N818 - the driver reports it as a usage error
    """Raised if a candidate could read a secret path. `layers`: the result of `probe`."""

    def __init__(self, path: str, layers: Dict[str, str]) -> None:
        super().__init__(path)
        self.path = path
        self.layers = layers


class Lockdown:
    """The sandbox layers of one fork server and its children."""

    def __init__(self, wanted: Collection[str], directory: str, secret: Collection[str], adapters: List[str]) -> None:
        """Probe the requested layers and enter the namespaces. Execution continues in a child (see `namespaces.enter`).

        `secret`: paths that no candidate may read. The sandbox always hides repair-bench itself and packages that add
        suites. `adapters`: folders to show. Raises Exposed if a layer that hides files is requested but a secret is
        still readable.
        """
        copies, suites = secrets.copies(), secrets.suite_packages()
        scratch = os.path.dirname(directory)  # contains the directories of all candidates
        secret = list(dict.fromkeys([*secret, *copies, *suites, scratch]))
        packages = [path for path in secret if os.path.basename(path) == secrets.PACKAGE]
        packages += [path for path in copies if path in sys.path]  # archives
        self.shown, hidden = secrets.arrange(namespaces.readable_paths(packages, adapters), secret)
        self.layers = probe(wanted, directory, hidden, self.shown)
        self._active = {name for name, state in self.layers.items() if state == ON}
        keep_metadata = "mount_ns" not in self._active
        self._seccomp = seccomp.Program(keep_metadata=keep_metadata) if "seccomp" in self._active else None
        self.proc = namespaces.enter(self._active, directory, hidden, self.shown)
        self.own_directories = "mount_ns" in self._active
        self._pid_ns = os.open("self/ns/pid", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.proc)
        readable = [*self.shown, *namespaces.PROC_FILES]
        self._readable = list(landlock.reading(readable, [scratch])) if "landlock" in self._active else []
        self.descriptors: Dict[str, int] = {}
        """The descriptors that a child keeps until it calls `drop_rights`."""
        if "landlock" in self._active and not self.own_directories:
            # A package folder that contains a secret needs hundreds of rules, which are created once. A child adds few.
            rules = landlock.ruleset(landlock.reading(readable, hidden), [directory], namespaces.DEVICES)
            self.descriptors["landlock"] = rules
        if HIDING & set(wanted):
            self._look(directory, [*secret, *hidden])
            if HOLDING & set(wanted) and not HOLDING & self._active:
                raise Exposed(secret[0], self.layers)
            for module in secrets.loaded(suites):
                raise Exposed("the module %s" % module, self.layers)

    def _look(self, directory: str, secret: List[str]) -> None:
        own = os.path.join(directory, "look")
        if not self.own_directories:
            os.mkdir(own, 0o700)

        def look() -> None:
            self.drop_rights(self.enter_directory(own, BOX_BYTES))
            found = secrets.seen(secret, self.shown)
            if found is not None:
                raise OSError(found)

        with self.around_fork():
            found = _in_child(look)
        if found in secret:
            raise Exposed(found, self.layers)
        if found:
            raise OSError(found)

    def around_fork(self) -> ContextManager[None]:
        """Return the context manager in which a child must be forked."""
        if "pid_ns" in self._active:
            return namespaces.new_process_namespace(self._pid_ns)
        return contextlib.nullcontext()

    def enter_directory(self, directory: str, disk_bytes: int) -> str:
        """Change to the private directory of this child, and return the path of that directory."""
        if self.own_directories:
            namespaces.private_mounts(disk_bytes)
            directory = namespaces.BOX
        else:
            disk = os.statvfs(directory)
            if disk.f_bavail * disk.f_frsize < disk_bytes:
                raise OSError("%d MB of free space is needed in %s" % (disk_bytes >> 20, os.path.dirname(directory)))
        os.chdir(directory)
        return directory

    def drop_rights(self, directory: str) -> None:
        """Confine this child, as the last step before it runs the candidate."""
        if "capabilities" in self._active:
            syscalls.drop_capabilities()
        if "no_new_privs" in self._active:
            syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
        if "landlock" in self._active:
            writable = [directory, namespaces.SHM] if self.own_directories else [directory]
            if "landlock" in self.descriptors:
                landlock.restrict(self.descriptors["landlock"])
            landlock.restrict(landlock.ruleset(self._readable, writable, namespaces.DEVICES))
        if self._seccomp is not None:
            self._seccomp.install()


def probe(wanted: Collection[str], directory: str, hidden: Collection[str], shown: Collection[str]) -> Dict[str, str]:
    """Test every sandbox layer in a child process.

    Return the state of each layer: `on`, `off`, or the reason why the layer cannot be used.
    """
    found: Dict[str, str] = {}
    for name in LAYERS:
        missing = [need for need in NEEDS.get(name, ()) if found[need] != ON]
        if name not in wanted:
            found[name] = "off"
        elif missing:
            found[name] = "needs %s" % missing[0]
        else:
            own = os.path.join(directory, name)
            os.mkdir(own)
            found[name] = _in_child(lambda: _try(name, own, hidden, shown)) or ON  # noqa: B023 - called immediately
            with contextlib.suppress(OSError):
                os.rmdir(own)
    return found


def _try(name: str, directory: str, hidden: Collection[str], shown: Collection[str]) -> None:
    """Apply one sandbox layer to this process.

    Raises OSError if the system does not allow the sandbox layer to be applied, or if the sandbox layer has no effect.
    """
    if name in namespaces.FLAGS:
        proc = namespaces.enter({name, *NEEDS.get(name, ())}, directory, hidden, shown)
        if name == "mount_ns":
            namespaces.private_mounts(1 << 20)
        if name == "pid_ns":
            own = os.open("self/ns/pid", os.O_RDONLY, dir_fd=proc)
            for _ in range(2):  # a process must return from the first namespace before it can enter a second one
                with namespaces.new_process_namespace(own):
                    problem = _in_child(_must_be_first)
                if problem:
                    raise OSError(problem)
    elif name == "capabilities":
        syscalls.drop_capabilities()
    else:
        syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
        if name == "landlock":
            landlock.restrict(landlock.ruleset([("/usr", landlock.READ)], [], []))
            _must_be_refused(lambda: os.listdir("/"))
        if name == "seccomp":
            seccomp.Program().install()
            _must_be_refused(socket.socket)


def _must_be_refused(action: Callable[[], Any]) -> None:
    try:
        action()
    except PermissionError:
        return
    raise OSError("it has no effect")


def _must_be_first() -> None:
    if os.getpid() != 1:
        raise OSError("it has no effect")


def _in_child(action: Callable[[], None]) -> str:
    """Run an action in a child process. Return the error message if the action fails, otherwise an empty string."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            action()
            answer = ON
        except BaseException as error:
            answer = "%s" % error
        os.write(write, answer.encode("utf-8", "surrogateescape")[:5000])
        os._exit(0)
    os.close(write)
    answer = os.read(read, 5000).decode("utf-8", "surrogateescape")
    os.close(read)
    os.waitpid(pid, 0)
    return "" if answer == ON else answer or "the process that tested this layer died"
