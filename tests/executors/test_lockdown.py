"""Effects of the sandbox layers: each refuses its attack, which succeeds without the layer."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from plain_programs import plain, returned

import repair_bench
from repair_bench.coroutines import run_to_end
from repair_bench.executors import doctor
from repair_bench.executors.guest.sandbox.lockdown import LAYERS
from repair_bench.executors.local import LocalExecutor
from repair_bench.traces.faults import ExecutorError

GRANTED = {name for name, state in doctor.probe().items() if state == "on"}
ROOT = ("user_ns", "mount_ns")
PIDS = ("user_ns", "mount_ns", "pid_ns")
NET = ("user_ns", "net_ns")
LANDLOCK = ("capabilities", "no_new_privs", "landlock")
SECCOMP = ("no_new_privs", "seccomp")


@pytest.fixture(scope="module")
def executors() -> Iterator[dict[tuple[str, ...], LocalExecutor]]:
    found: dict[tuple[str, ...], LocalExecutor] = {}
    yield found
    for executor in found.values():
        executor.shutdown()


@pytest.fixture
def result(executors):
    """Return the result of a program's `answer()` with these layers. Skip if the machine refuses one."""

    def run(source: str, layers: tuple[str, ...]) -> str:
        if missing := set(layers) - GRANTED:
            pytest.skip(f"this machine refuses {missing}")
        executor = executors.setdefault(layers, LocalExecutor(workers=1, layers=layers))
        return returned(run_to_end(executor.run(plain(source, wall_seconds=20))))

    return run


@contextlib.contextmanager
def listener() -> Iterator[tuple[int, list[bytes]]]:
    """A loopback port, and the data that it receives."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        stop = threading.Event()

        def listen():
            while not stop.is_set():
                with contextlib.suppress(TimeoutError):
                    connection, _ = server.accept()
                    with connection:
                        heard.append(connection.recv(100))

        thread = threading.Thread(target=listen)
        thread.start()
        try:
            yield server.getsockname()[1], heard
        finally:
            stop.set()
            thread.join()


def attempt(body: str) -> str:
    """Return a program that returns `refused` if its body raises OSError, otherwise the result of the body."""
    return f"def answer():\n    try:\n{textwrap.indent(body, ' ' * 8)}\n    except OSError:\n        return 'refused'\n"


EVERY = tuple(name for name in LAYERS if name in GRANTED)


@pytest.mark.slow
@pytest.mark.parametrize("layers", [(), NET, SECCOMP, LANDLOCK, EVERY])
def test_the_network_is_unreachable(result, layers):
    with listener() as (port, heard):
        connect = f"socket.create_connection(('127.0.0.1', {port}), 2)"
        answer = result(attempt(f"import socket\nwith {connect} as s: s.sendall(b'x')\nreturn 'sent'"), layers)
    assert answer == ("'refused'" if layers else "'sent'")
    assert heard == ([] if layers else [b"x"])


@pytest.mark.parametrize("layers", [(), SECCOMP, EVERY])
def test_a_unix_socket_is_unreachable(result, layers, tmp_path):
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(tmp_path)  # the path of a socket has few characters
        server.bind("s")
        server.listen()
        source = attempt(
            f"import os, socket\nos.chdir({str(tmp_path)!r})\nsocket.socket(socket.AF_UNIX).connect('s')\nreturn 'sent'"
        )
        assert result(source, layers) == ("'refused'" if layers else "'sent'")


@pytest.mark.parametrize("layers", [(), ROOT, LANDLOCK, EVERY])
def test_files_outside_cannot_be_read_or_written(result, layers, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("key")
    assert result(attempt(f"return open({str(secret)!r}).read()"), layers) == ("'refused'" if layers else "'key'")
    planted = tmp_path / "planted"
    written = result(attempt(f"return open({str(planted)!r}, 'w').write('x')"), layers)
    assert (written, planted.exists()) == (("'refused'", False) if layers else ("1", True))


@pytest.mark.parametrize("layers", [(), ROOT, LANDLOCK, EVERY])
def test_the_expected_answers_cannot_be_read(result, layers):
    expected = Path(repair_bench.__file__).parent / "suites" / "task.py"
    assert result(attempt(f"return len(open({str(expected)!r}).read()) > 0"), layers) == (
        "'refused'" if layers else "True"
    )


@pytest.mark.parametrize("layers", [(), ROOT, LANDLOCK, EVERY])
def test_the_interpreters_packages_cannot_be_written(result, layers, tmp_path):
    # opening a file to append requires write access and changes nothing
    source = attempt("import json\nopen(json.__file__, 'a').close()\nreturn 'opened'")
    assert result(source, layers) == ("'refused'" if layers else "'opened'")


@pytest.mark.parametrize("layers", [(), SECCOMP, EVERY])
def test_no_process_can_be_started(result, layers):
    for body in (
        "import os\npid = os.fork()\nif not pid: os._exit(0)\nos.waitpid(pid, 0)\nreturn 1",
        "import subprocess\nsubprocess.run(['/bin/true'])\nreturn 1",
    ):
        assert result(attempt(body), layers) == ("'refused'" if layers else "1")


@pytest.mark.parametrize("layers", [(), PIDS, EVERY])
def test_a_candidate_sees_no_other_process(result, layers):
    assert (result("import os\ndef answer(): return os.getpid()", layers) == "1") is bool(layers)


KILL_SERVER = """
import os, signal
def answer():
    try:
        os.kill(os.getppid() or 2, signal.SIGKILL)
    except OSError:
        return 'refused'
    return 'sent'
"""


SIGNAL_BY_DESCRIPTOR = """
import fcntl, os, signal, time
def answer():
    read, write = os.pipe()
    try:
        fcntl.fcntl(read, fcntl.F_SETOWN, os.getppid() or 2)
        fcntl.fcntl(read, 10, signal.SIGKILL)  # F_SETSIG
        fcntl.fcntl(read, fcntl.F_SETFL, os.O_ASYNC)
    except OSError:
        return 'refused'
    os.write(write, b'x')
    time.sleep(0.5)
    return 'sent'
"""


@pytest.mark.parametrize("layers", [PIDS, LANDLOCK, EVERY])
def test_the_server_cannot_be_killed(result, layers):
    assert result(KILL_SERVER, layers) == "'refused'"


@pytest.mark.parametrize("layers", [SECCOMP, EVERY])
def test_no_descriptor_can_signal_the_server(result, layers):
    assert result(SIGNAL_BY_DESCRIPTOR, layers) == "'refused'"


@pytest.mark.slow
@pytest.mark.parametrize("source", [KILL_SERVER, SIGNAL_BY_DESCRIPTOR])
def test_without_a_sandbox_the_server_is_killed(source):
    async def main():
        async with LocalExecutor(workers=1, require_sandbox="none") as executor:
            await executor.run(plain(source))

    with pytest.raises(ExecutorError, match="died"):
        run_to_end(main())


DRIVER = """
import asyncio, os, sys
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Call, Program
source = f'''
def answer():
    try:
        with open("/proc/{os.getpid()}/environ", "rb") as f:
            return [word for word in f.read().split(bytes(1)) if word.startswith(b"PLANTED_KEY=")]
    except OSError:
        return "refused"
'''
async def main():
    async with LocalExecutor(workers=1, layers=sys.argv[1:]) as executor:
        outcome = await executor.run(Program("python", source, Call("answer", "state")))
        print(outcome.value["cases"][0]["repr"])
asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("layers", [(), ROOT, LANDLOCK, EVERY])
def test_keys_in_the_drivers_environment_cannot_be_read(layers):
    if missing := set(layers) - GRANTED:
        pytest.skip(f"this machine refuses {missing}")
    environment = {**os.environ, "PLANTED_KEY": "sk-123"}
    command = [sys.executable, "-c", DRIVER, *layers]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True).stdout
    assert found.strip() == ("'refused'" if layers else "[b'PLANTED_KEY=sk-123']")


def test_a_candidate_has_no_privileges(result):
    source = """
        def answer():
            lines = dict(line.split(':', 1) for line in open('/proc/self/status') if ':' in line)
            return [lines[name].strip() for name in ('CapEff', 'CapBnd', 'NoNewPrivs')]
    """
    nothing = "0" * 16
    assert (
        result(source, ("capabilities", "no_new_privs")) == str([nothing, "1" if os.geteuid() else nothing, "1"])
        or os.geteuid()
    )
    assert result(source, ()) != str([nothing, nothing, "1"])


def test_a_candidate_finds_no_files_of_earlier_ones(result):
    leave = "def answer():\n    return [open(d + '/left', 'w').write('x') for d in ('.', '/dev/shm')]"
    # /tmp is a link to the private directory, unless an interpreter is installed there; then it is visible and refused
    look = """
        import os
        def names(directory):
            try:
                return os.listdir(directory)
            except PermissionError:
                return []
        def answer():
            return [names(d) for d in ('.', '/box', '/tmp', '/dev/shm')]
    """
    assert result(leave, EVERY) == "[1, 1]"
    assert result(look, EVERY) == "[[], [], [], []]"


def test_ordinary_programs_run_in_the_full_sandbox(result):
    source = """
        import asyncio, sqlite3, threading, tempfile, xml.dom.minidom, decimal, json, uuid, platform
        from concurrent.futures import ThreadPoolExecutor
        async def wait(): await asyncio.sleep(0); return 2
        def answer():
            with tempfile.NamedTemporaryFile('w') as f: f.write('x')
            with ThreadPoolExecutor(2) as pool: one = pool.submit(lambda: 1).result()
            return one, asyncio.run(wait()), sqlite3.connect(':memory:').execute('select 3').fetchone()[0]
    """
    assert result(source, EVERY) == "(1, 2, 3)"


def test_ordinary_use_of_files_and_streams_works(result):
    source = """
        import asyncio, fcntl, os, shutil, socket, sqlite3, subprocess, sys
        async def echo():
            ours, theirs = socket.socketpair()
            reader, writer = await asyncio.open_connection(sock=ours)
            theirs.sendall(b'heard')
            writer.write(b'said')
            await writer.drain()
            return await reader.readexactly(5) + theirs.recv(4)
        def answer():
            for kind in ('wal', 'delete'):
                one, other = sqlite3.connect(kind), sqlite3.connect(kind)
                one.execute('pragma journal_mode = ' + kind)
                with one: one.execute('create table t as select 3 as x')
                found = other.execute('select x from t').fetchone()
            shutil.copy2('wal', 'copy')
            with open('copy') as f:
                fcntl.flock(f, fcntl.LOCK_EX)
                fcntl.lockf(f, fcntl.LOCK_SH)
                os.set_inheritable(f.fileno(), True)
                os.close(os.dup(f.fileno()))
            return found, asyncio.run(echo()), sys.stdout.isatty(), shutil.get_terminal_size()[0]
    """
    assert result(source, EVERY) == "((3,), b'heardsaid', False, 80)"


def test_the_executor_reports_its_layers(executor):
    assert executor.layers("python") == doctor.probe()
    off = LocalExecutor(require_sandbox="none")
    assert set(off.layers("python").values()) == {"off"}
    off.shutdown()


@pytest.mark.slow
def test_a_strict_sandbox_requires_every_layer():
    async def main(**options):
        async with LocalExecutor(workers=1, require_sandbox="strict", **options) as executor:
            return await executor.run(plain("def answer(): return 1"))

    with pytest.raises(ExecutorError, match="strict"):
        run_to_end(main(layers=("seccomp",)))  # these need no_new_privs
    if set(LAYERS) == GRANTED:
        assert returned(run_to_end(main())) == "1"


WITHOUT_NAMESPACES = """
import asyncio
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Call, Program
source = "import os, socket\\ndef answer():\\n    try: socket.socket()\\n    except OSError: return 'refused'"
async def main():
    async with LocalExecutor(workers=1) as executor:
        outcome = await executor.run(Program("python", source, Call("answer", "state")))
        layers = executor.layers("python")
        print(outcome.value["cases"][0]["repr"], layers["seccomp"], layers["mount_ns"], layers["user_ns"], sep="; ")
asyncio.run(main())
"""


@pytest.mark.slow
def test_other_layers_work_without_user_namespaces():
    # a user namespace without nested ones; the limit of the machine does not change
    script = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    command = ["unshare", "-Ur", "sh", "-c", script, "sh", sys.executable, "-c", WITHOUT_NAMESPACES]
    if not shutil.which("unshare") or not {"user_ns", "seccomp"} <= GRANTED:
        pytest.skip("a user namespace and unshare(1) are needed")
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("'refused'; on; needs user_ns; [Errno 28]")
