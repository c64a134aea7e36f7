"""Targets around an executor for programs to attack, and the visible effects of attacks."""

import asyncio
import contextlib
import dataclasses
import json
import os
import resource
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from hostile_programs import ATTACKING, HostileProgram

import repair_bench
from repair_bench.coroutines import run_to_end
from repair_bench.executors.fork_server import GUEST, ForkServer
from repair_bench.executors.guest.sandbox.lockdown import LAYERS
from repair_bench.executors.guest.sandbox.namespaces import BOX
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Call, Instances, Program, Script, UnitTest
from repair_bench.prompts.feedback import Failure, Sources, tool
from repair_bench.suites.checks import Case, DistributionCheck
from repair_bench.suites.task import Task
from repair_bench.traces.faults import ExecutorError
from repair_bench.traces.record.records import Outcome, Verdict

EFFECTS = {
    "secret": "a planted key is in what came back",
    "network": "one of our sockets heard something",
    "file": "something outside of its directory was made, changed or deleted",
    "process": "it had a second process, or one was left behind",
    "server": "the fork server was stopped or died",
    "neighbour": "a process outside was ended, stopped, slowed or limited",
    "privilege": "it says that it GAINED what it tried for",
    "path": "a path of ours is in the report of its exception",
    "memory": "it held more memory than its limit",
    "disk": "it held more of the machine's disk than its limit",
    "hang": "it was still running long after its bound",
}
WITHOUT_NAMESPACES = tuple(name for name in LAYERS if not name.endswith("_ns"))
"""The remaining layers when user namespaces are denied."""
LATE = 20.0
"""Seconds beyond the wall-clock limit, doubled for a repetition, after which a program counts as hanging."""
_NEIGHBOUR = """
import ctypes, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGURG})
kept = ctypes.create_string_buffer(sys.argv[1].encode())
print(ctypes.addressof(kept), flush=True)
sys.stdin.read()  # until the test has gone
"""
_OTHER_CANDIDATE = """
import time
def answer(secret, places):
    for place in places:
        try:
            open(place + "/other_candidate.txt", "w").write(secret)
        except OSError:
            continue
    time.sleep(60)
"""
_PREDECESSOR = "KEPT = {secret!r}\ndef answer(secret): return [secret + str(i) for i in range(1000)][0]"


@dataclasses.dataclass
class Seen:
    """The result of one program. `outcome`: None after an infrastructure error."""

    outcome: Outcome | None
    effects: set[str]


class Surroundings:
    """Keys, files, sockets and a process as targets for programs. Use as a context manager."""

    def __init__(self) -> None:
        self.secret = "sk-planted-" + secrets.token_hex(16)
        self._stack = contextlib.ExitStack()
        self._heard: list[bytes] = []
        self._stop = threading.Event()

    def __enter__(self) -> "Surroundings":
        enter = self._stack.enter_context
        self.home = Path(enter(tempfile.TemporaryDirectory(prefix="hostile-home-")))
        self.other = Path(enter(tempfile.TemporaryDirectory(prefix="hostile-", dir="/var/tmp")))
        self.shared = Path(f"/dev/shm/hostile-{secrets.token_hex(6)}")
        self._stack.callback(lambda: self.shared.unlink(missing_ok=True))
        self._clear()
        os.environ["HOSTILE_TEST_KEY"] = self.secret
        self._stack.callback(os.environ.pop, "HOSTILE_TEST_KEY")
        self._listen()
        self._stack.callback(self._end_neighbour)
        self._meet_neighbour()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._stack.close()

    def target(self, *, bounded: bool) -> dict[str, Any]:
        """Return the description of the targets that a program receives, as JSON data.

        `bounded`: without a sandbox, `most` is small, and a program with a choice cleans up (`tidy`).
        """
        root = Path(repair_bench.__file__).parent
        return {
            **self._addresses,
            "env_file": str(self.home / "keys" / ".env"),
            "home": str(self.home),
            "walk": str(self.home) if bounded else "/",
            "folder": str(self.home / "folder"),
            "file": str(self.home / "folder" / "kept"),
            "spare_file": str(self.home / "folder" / "spare"),
            "other_folder": str(self.other),
            "shared": str(self.shared),
            "neighbour": {"pid": self._neighbour.pid, "address": self._address, "length": len(self.secret)},
            "answers": [str(root / "suites" / "aligned")],
            "roots": [str(root.parent)],
            "packages": [str(np.__file__)],
            "site": [str(Path(np.__file__).parents[1])],
            "most": 4 if bounded else 1_000_000_000,
            "tidy": bounded,
        }

    def effects(self) -> set[str]:
        """Return the effects that are visible now, and restore the targets."""
        found = set()
        if self._heard:
            found.add("network")
            self._heard.clear()
        if self._files() != self._planted:
            found.add("file")
            self._clear()
        if self._neighbour_state() != self._neighbour_was:
            found.add("neighbour")
            self._end_neighbour()
            self._meet_neighbour()
        return found

    def _clear(self) -> None:
        for place in (self.home, self.other):
            subprocess.run(["chmod", "-R", "u+rwX", place], check=True)
            for path in place.iterdir():
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        self.shared.unlink(missing_ok=True)
        for name in ("folder", "keys"):
            (self.home / name).mkdir()
        (self.home / "folder" / "kept").write_text("kept")
        (self.home / "folder" / "spare").write_text("spare")
        (self.home / "keys" / ".env").write_text(f"API_KEY={self.secret}\n")
        self._planted = self._files()

    def _files(self) -> dict[str, Any]:
        paths = [path for place in (self.home, self.other) for path in place.rglob("*")]
        found: dict[str, Any] = {str(self.shared): None} if self.shared.exists() else {}
        for path in paths:
            info = path.lstat()
            content = b""
            with contextlib.suppress(PermissionError):  # its mode was changed, which is also an effect
                content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            times = info.st_mtime_ns if path.is_file() else 0
            found[str(path)] = (info.st_mode, info.st_uid, info.st_gid, times, content, os.listxattr(path))
        return found

    def _listen(self) -> None:
        name = f"hostile-{secrets.token_hex(6)}"
        folder = self._stack.enter_context(
            tempfile.TemporaryDirectory(prefix="s")
        )  # the length of a socket's path is limited
        kinds = {
            "tcp": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            "tcp6": (socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0)),
            "udp": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            "abstract": (socket.AF_UNIX, socket.SOCK_STREAM, "\0" + name),
            "abstract_datagram": (socket.AF_UNIX, socket.SOCK_DGRAM, "\0" + name + "d"),
            "socket": (socket.AF_UNIX, socket.SOCK_STREAM, folder + "/s"),
            "datagram_socket": (socket.AF_UNIX, socket.SOCK_DGRAM, folder + "/d"),
        }
        self._addresses: dict[str, Any] = {}
        for key, (family, kind, address) in kinds.items():
            listener = self._stack.enter_context(socket.socket(family, kind))
            listener.bind(address)
            listener.settimeout(0.1)
            if kind == socket.SOCK_STREAM:
                listener.listen()
            bound = listener.getsockname()
            self._addresses[key] = bound[1] if isinstance(bound, tuple) else address.lstrip("\0")
            thread = threading.Thread(target=self._hear, args=(listener,))
            thread.start()
            self._stack.callback(thread.join)
        self._stack.callback(self._stop.set)  # close this before the threads are joined

    def _hear(self, listener: socket.socket) -> None:
        while not self._stop.is_set():
            with contextlib.suppress(TimeoutError, ConnectionError):
                if listener.type == socket.SOCK_STREAM:
                    connection, _ = listener.accept()
                    connection.close()
                    self._heard.append(b"connected")
                else:
                    self._heard.append(listener.recv(100))

    def _meet_neighbour(self) -> None:
        """Start a process of the same user that holds the key in its memory, environment and command line."""
        command = [sys.executable, "-I", "-S", "-c", _NEIGHBOUR, self.secret]
        self._neighbour = subprocess.Popen(
            command,
            env={"NEIGHBOUR_KEY": self.secret},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._neighbour.stdout is not None
        self._address = int(self._neighbour.stdout.readline())
        self._neighbour_was = self._neighbour_state()

    def _end_neighbour(self) -> None:
        self._neighbour.kill()
        self._neighbour.wait()
        for pipe in (self._neighbour.stdin, self._neighbour.stdout):
            pipe.close()  # type: ignore[union-attr]

    def _neighbour_state(self) -> Any:
        if self._neighbour.poll() is not None:
            return "ended"
        pid = self._neighbour.pid
        pending = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if "Pnd" in line]
        limits = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        priority = os.getpriority(os.PRIO_PROCESS, pid), os.sched_getscheduler(pid), os.sched_getaffinity(pid)
        return state(pid).replace("R", "S"), pending, limits, priority


class Range:
    """An executor with targets around it. Runs programs and reports their effects."""

    def __init__(self, around: Surroundings, executor: LocalExecutor, *, bounded: bool = False) -> None:
        self.executor = executor
        self._around = around
        self._bounded = bounded

    def run(
        self, program: HostileProgram, *, roomy: bool = False, script: bool = False, command: str | None = None
    ) -> Seen:
        """Run one program by itself and return its result. `roomy`: with more memory and disk than its limits.
        `script`: as a script, like a program of a model's tool. `command`: as the file of this diagnostic command.
        """
        return run_to_end(self._run(program, roomy, script, command))

    async def _run(self, program: HostileProgram, roomy: bool, script: bool, command: str | None) -> Seen:
        await asyncio.to_thread(self.ready, program.framework)
        with Watch(self.executor, program) as watch:
            neighbour = asyncio.create_task(self.executor.run(self._neighbour())) if program.concurrent else None
            try:
                if neighbour is not None:
                    await asyncio.to_thread(settled, self._other_has_written, LATE)
                seen = await self.outcome(with_room(program) if roomy else program, script=script, command=command)
            finally:
                if neighbour is not None:
                    neighbour.cancel()
                    await asyncio.wait([neighbour])
        seen.effects |= watch.effects | self._around.effects()
        return seen

    def ready(self, framework: str) -> None:
        """Start the server of a framework. Its first candidate has the key in memory."""
        if framework not in self.executor._servers:
            source = _PREDECESSOR.format(secret=self._around.secret)
            call = Call("answer", "state", ((self._around.secret,),))
            run_to_end(self.executor.run(Program(framework, source, call)))

    async def outcome(self, program: HostileProgram, *, script: bool = False, command: str | None = None) -> Seen:
        """Run one program concurrently with others, and return the effects that its outcome shows."""
        arguments = (self._around.target(bounded=self._bounded),) if program.is_called_with_target else ()
        call: Call | Instances | UnitTest | Script = Call("answer", "distribution", (arguments,))
        source = program.source
        if script:
            call, source = Script(), f"{source}\nif 'answer' in globals():\n    answer(*{arguments!r})\n"
        if command is not None:
            failure = Failure(Verdict("exception"), source, sources=Sources(command=command))
            check = DistributionCheck(cases=(Case((), {"0": 1.0}),))
            linted = tool.program(Task("by hand", "1", program.framework, "answer", "", "", check, ""), failure)
            assert linted is not None
            call, source = linted.call, linted.source
        late = 2 * (program.bounds.wall_seconds + LATE)
        try:
            running = self.executor.run(Program(program.framework, source, call, program.bounds))
            outcome = await asyncio.wait_for(running, late)
        except TimeoutError:
            return Seen(None, {"hang"})
        except ExecutorError:
            return Seen(None, {"server"})
        return Seen(outcome, self._told(outcome))

    def _told(self, outcome: Outcome) -> set[str]:
        text = json.dumps(dataclasses.asdict(outcome))
        report = json.dumps(dataclasses.asdict(outcome.exception)) if outcome.exception else ""
        found = {"secret"} if self._around.secret in text else set()
        found |= {"privilege"} if "GAINED" in text.replace("GAINED\\n\\", "") else set()
        found |= {"path"} if str(GUEST) in report else set()
        return found

    def _other_has_written(self) -> bool:
        """Whether the concurrent candidate has started: its own directory then contains the file."""
        candidates = children(serving(self.executor._servers["python"]))
        return any(os.path.exists(f"/proc/{pid}/cwd/other_candidate.txt") for pid in candidates)

    def _neighbour(self) -> Program:
        places = ["."] if self._bounded else [".", "/dev/shm"]
        return Program("python", _OTHER_CANDIDATE, Call("answer", "state", ((self._around.secret, places),)))


def with_room(program: HostileProgram) -> HostileProgram:
    """Return the program with four times the memory and the disk."""
    bounds = program.bounds
    more = {"memory_mb": 4 * bounds.memory_mb, "disk_mb": 4 * bounds.disk_mb}
    return dataclasses.replace(program, limits={**program.limits, **more})


class Watch:
    """Monitors the processes, memory and disk of a framework's fork server while a program runs."""

    def __init__(self, executor: LocalExecutor, program: HostileProgram) -> None:
        self.effects: set[str] = set()
        self._server = executor._servers[program.framework]
        self._executor = executor
        self._program = program
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look_again)

    def __enter__(self) -> "Watch":
        self._inner = serving(self._server)
        self._most_memory = _mapped_mb(self._inner) + self._program.bounds.memory_mb
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._stop.set()
        self._thread.join()
        if self._executor._servers.get(self._program.framework) is not self._server:
            self.effects.add("server")
        elif not settled(lambda: not children(self._inner)):
            self.effects.add("process")

    def _look_again(self) -> None:
        while not self._stop.wait(0.005):
            self._look()

    def _look(self) -> None:
        for pid in {self._server.pid, self._inner}:
            if state(pid) in "Tt":
                self.effects.add("server")
                os.kill(pid, signal.SIGCONT)
        for candidate in children(self._inner):
            if any(state(pid) not in "ZX" for pid in children(candidate)):
                self.effects.add("process")
            if rss_mb(candidate) > self._most_memory:
                self.effects.add("memory")
        if disk_mb(self._server, self._inner) > self._program.bounds.disk_mb:
            self.effects.add("disk")


def serving(server: ForkServer) -> int:
    """Return the process that forks the candidates: the started one, or its child inside the namespaces."""
    inside = any(state == "on" for name, state in server.layers.items() if name.endswith("_ns"))
    return children(server.pid)[0] if inside else server.pid


def family(executor: LocalExecutor) -> set[int]:
    """Return the processes of all fork servers, except those of candidates."""
    return {pid for server in executor._servers.values() for pid in (server.pid, serving(server))}


def children(pid: int) -> list[int]:
    """Return the children of all threads of a process, including zombies; none after its end."""
    found = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += [int(child) for child in (task / "children").read_text().split()]
    return found


def state(pid: int) -> str:
    """Return the state letter of proc(5); X after the end of the process."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return "X"


def rss_mb(pid: int) -> float:
    """Return the resident memory of a process."""
    return _statm_mb(pid, 1)


def _mapped_mb(pid: int) -> float:
    """Return the size of a process. The limit of its children is in addition to it."""
    return _statm_mb(pid, 0)


def _statm_mb(pid: int, field: int) -> float:
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[field]) * resource.getpagesize() / (1 << 20)
    return 0.0


def disk_mb(server: ForkServer, inner: int) -> float:
    """Return the disk or memory use of the directories of a server's candidates."""
    if server.layers["mount_ns"] != "on":
        return sum(_blocks(path) for path in _walk(server._directory)) / 2048
    return sum(_used_mb(f"/proc/{pid}/root{BOX}") for pid in children(inner))


def _used_mb(mounted: str) -> float:
    """Return the size of a tmpfs, including deleted files that are open."""
    with contextlib.suppress(OSError):
        system = os.statvfs(mounted)
        return (system.f_blocks - system.f_bfree) * system.f_frsize / (1 << 20)
    return 0.0


def _walk(top: str) -> Iterator[str]:
    for folder, folders, files in os.walk(top):
        yield from (os.path.join(folder, name) for name in files)
        if folder.count(os.sep) > 8:
            folders.clear()


def _blocks(path: str) -> int:
    with contextlib.suppress(OSError):
        return os.lstat(path).st_blocks
    return 0


def settled(condition: Any, seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def attacked(outcome: Outcome) -> bool:
    """Return whether the program reached its attack."""
    return outcome.stdout.startswith(ATTACKING)
