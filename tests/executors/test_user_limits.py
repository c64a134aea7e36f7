"""Resource limits of a user: programs run unchanged, or one line names the required limit."""

import json
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from repair_bench.executors import doctor
from repair_bench.executors.fork_server import ForkServer
from repair_bench.executors.guest.sandbox.lockdown import LAYERS
from repair_bench.executors.local import PER_CANDIDATE, RESERVED, affordable
from repair_bench.traces.faults import ExecutorError

RUN = """
import asyncio, sys
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Call, Program
from repair_bench.traces.faults import UsageError
layers = sys.argv[1].split(",")
source = "def answer():\\n    open('file', 'w').write('x')\\n    return 1"
async def main():
    async with LocalExecutor(workers=40, layers=layers) as executor:
        programs = [executor.run(Program("python", source, Call("answer", "state"))) for _ in range(20)]
        return {outcome.status for outcome in await asyncio.gather(*programs)}
try:
    print(*asyncio.run(main()))
except UsageError as error:
    print(error)
"""


def under(limits: str, layers: tuple[str, ...] = LAYERS) -> subprocess.CompletedProcess[str]:
    """Run programs after commands such as `ulimit`, in a shell."""
    script = f'{limits} && exec "$@"'
    command = ["bash", "-c", script, "bash", sys.executable, "-c", RUN, ",".join(layers)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(
    "limits",
    [
        "ulimit -n 1024",
        pytest.param("ulimit -n 300", marks=pytest.mark.slow),
        pytest.param("ulimit -l 0 -c 0 -q 0 -i 10 -x 10", marks=pytest.mark.slow),
        pytest.param("ulimit -s unlimited", marks=pytest.mark.slow),
        pytest.param("umask 777", marks=pytest.mark.slow),
        pytest.param("exec 0<&- 2>&-", marks=pytest.mark.slow),
        pytest.param("export TMPDIR=/nowhere HOME=/nowhere", marks=pytest.mark.slow),
    ],
)
def test_programs_run_under_sufficient_limits(limits: str) -> None:
    done = under(limits)
    assert (done.stdout, done.stderr) == ("returned\n", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "says"),
    [
        ("n 200", "only 200 files may be open at once, but 256 are needed"),
        ("v 1500000", "the limit `ulimit -v` is 1500000, but at least "),
        ("d 1500000", "the limit `ulimit -d` is 1500000, but at least "),
        ("f 1000", "the limit `ulimit -f` is 1000, but at least 65536 is required"),
        ("t 40", "the limit `ulimit -t` is 40, but at least 55 is required"),
        ("s 4096", "the limit `ulimit -s` is 4096, but at least 8192 is required"),
    ],
)
def test_a_limit_that_is_too_low_is_named(limit: str, says: str) -> None:
    done = under(f"ulimit -{limit}")
    assert says in done.stdout, done.stderr
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.slow
def test_the_doctor_finds_the_limit_that_stops_a_run() -> None:
    command = ["bash", "-c", 'ulimit -s 4096 && exec "$@"', "bash", sys.executable, "-m", "repair_bench", "doctor"]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, timeout=300, check=False)
    rows = json.loads(done.stdout)["frameworks"]
    assert all(row["programs"] != "they run" for row in rows), rows
    assert "ulimit -s" in str(rows)


def test_few_open_files_reduce_the_number_of_workers() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (RESERVED + PER_CANDIDATE, hard))
        assert affordable(3) == 3  # the soft limit is raised
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == RESERVED + 3 * PER_CANDIDATE
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_missing_temporary_directory_is_an_executor_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(ExecutorError, match=r"python fork server cannot be started: .*No such file"):
        ForkServer("python", sys.executable)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


NO_PROCESS = """
import asyncio
from pathlib import Path
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Call, Program
from repair_bench.traces.faults import ExecutorError

limit = Path("/proc/sys/user/max_pid_namespaces")
program = Program("python", "def answer(): return 1", Call("answer", "state"))

async def main():
    async with LocalExecutor(workers=1) as executor:
        said = [(await executor.run(program)).status]
        server, before = executor._servers["python"], limit.read_text()
        limit.write_text("0")
        try:
            await executor.run(program)
        except ExecutorError as error:
            said.append(str(error))
        limit.write_text(before)
        said.append((await executor.run(program)).status)
        print(*said, executor._servers["python"] is server, sep="; ")

asyncio.run(main())
"""


@pytest.mark.slow
def test_a_refused_fork_is_an_error_and_the_server_survives() -> None:
    # a new user namespace has its own limit
    command = ["unshare", "-Ur", sys.executable, "-c", NO_PROCESS]
    if not shutil.which("unshare") or doctor.probe()["pid_ns"] != "on":
        pytest.skip("process namespaces and unshare(1) are needed")
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    fault = "the candidate was not loaded: no process can be started: unshare(0x20000000): No space left on device"
    assert done.stdout == f"returned; {fault}; returned; True\n", done.stderr
