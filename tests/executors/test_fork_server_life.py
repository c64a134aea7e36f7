"""Cleanup of processes, descriptors and directories, whichever process dies first."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from plain_programs import plain, returned

from repair_bench.coroutines import run_to_end
from repair_bench.executors.conversation import converse
from repair_bench.executors.fork_server import ForkServer, ServerDied
from repair_bench.executors.local import LocalExecutor
from repair_bench.traces.faults import ExecutorError

pytestmark = pytest.mark.slow


def processes() -> dict[int, str]:
    """Return the command lines of all processes of this machine, including zombies."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found[int(entry.name)] = (entry / "cmdline").read_text(errors="replace")
            except OSError:
                continue
    return found


def descendants(pid: int) -> list[int]:
    below = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return below + [pid for child in below for pid in descendants(child)]


def marked(mark: str) -> list[int]:
    return [pid for pid, command in processes().items() if mark in command]


def wait_until(condition, seconds=10.0) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def server_of(executor: LocalExecutor) -> ForkServer:
    return executor._servers["python"]


DAEMON = """
import os, subprocess
def answer():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            {close}
            os.execv("/bin/sleep", ["sleep", "300.{mark}"])
        os._exit(0)
    return 1
"""


@pytest.mark.parametrize("close", ["os.closerange(0, 64)", "pass"])
def test_a_daemon_is_killed_with_its_candidate(execute, close):
    mark = f"{os.getpid()}{len(close)}"
    outcome = execute(DAEMON.format(close=close, mark=mark))
    assert outcome.status in ("returned", "exception")  # an exception if the sandbox refuses to fork
    assert marked(f"300.{mark}") == []


def test_a_fork_bomb_is_stopped(execute, executor):
    source = """
        import os
        def answer():
            while True:
                try: os.fork()
                except OSError: pass
    """
    execute("def answer(): return 1")
    family = descendants(server_of(executor).pid)
    assert execute(source, cpu_seconds=0.5, wall_seconds=5).status in ("killed", "cpu_timeout", "wall_timeout")
    assert descendants(server_of(executor).pid) == family
    assert returned(execute("def answer(): return 1")) == "1"


def test_many_candidates_leave_no_process_or_descriptor(execute, executor):
    sources = [
        "def answer(): return 1",
        "def answer(): raise ValueError",
        "import os\nos._exit(0)",
        "open('left', 'w').write('x')\ndef answer(): return 1",
        "import os\nos.mkdir('a')\nos.chmod('a', 0)\ndef answer(): return print('x' * 100_000)",
    ]
    for source in sources:
        execute(source)
    server = server_of(executor)

    def state():
        family = [server.pid, *descendants(server.pid)]
        descriptors = [len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in (os.getpid(), *family)]
        return family, descriptors, sorted(Path(server._directory).iterdir())

    time.sleep(0.1)  # the server reports a fate just before it closes the child's descriptors
    before = state()
    for number in range(200):
        execute(sources[number % len(sources)])
    assert wait_until(lambda: state() == before), (before, state())


def test_a_deep_tree_of_directories_is_removed(execute, executor):
    source = """
        import os
        for _ in range(1500):
            os.mkdir('d' * 50)
            os.chdir('d' * 50)
        os.chmod('.', 0)
        def answer(): return 1
    """
    assert returned(execute(source)) == "1"
    assert not any(path.name.isdigit() for path in Path(server_of(executor)._directory).iterdir())


def test_two_workers_run_eight_concurrent_requests():
    async def main():
        async with LocalExecutor(workers=2) as executor:
            programs = [plain(f"import time\ndef answer(): return time.sleep(0.05) or {n}") for n in range(8)]
            return await asyncio.gather(*map(executor.run, programs))

    assert [returned(outcome) for outcome in run_to_end(main())] == [str(n) for n in range(8)]


def test_one_server_runs_candidates_side_by_side():
    async def main():
        async with LocalExecutor(workers=4) as executor:
            await executor.run(plain("def answer(): return 0"))
            begin = time.monotonic()
            await asyncio.gather(*(executor.run(plain("import time\ndef answer(): time.sleep(0.5)")) for _ in range(4)))
            return time.monotonic() - begin

    assert run_to_end(main()) < 1.8


def test_a_dead_server_is_restarted():
    async def main():
        async with LocalExecutor(workers=2) as executor:
            await executor.run(plain("def answer(): return 0"))
            first = server_of(executor)
            running = asyncio.create_task(executor.run(plain("import time\ndef answer(): return time.sleep(0.5) or 7")))
            await asyncio.sleep(0.1)
            os.kill(first.pid, signal.SIGKILL)
            outcome = await running
            assert server_of(executor).pid != first.pid
            return outcome, first

    outcome, first = run_to_end(main())
    assert returned(outcome) == "7"
    assert not Path(first._directory).exists()


def test_a_server_that_dies_twice_is_an_executor_error():
    async def main():
        async with LocalExecutor(workers=2) as executor:
            await executor.run(plain("def answer(): return 0"))
            running = asyncio.create_task(executor.run(plain("import time\ndef answer(): time.sleep(20)")))
            first = server_of(executor).pid
            os.kill(first, signal.SIGKILL)
            await asyncio.to_thread(wait_until, lambda: executor._servers and server_of(executor).pid != first)
            await asyncio.sleep(0.2)
            os.kill(server_of(executor).pid, signal.SIGKILL)
            with pytest.raises(ExecutorError, match="died"):
                await running
            return await executor.run(plain("def answer(): return 1"))

    assert returned(run_to_end(main())) == "1"


def test_an_interpreter_that_cannot_start_is_an_executor_error():
    async def main(python):
        async with LocalExecutor(pythons={"python": python}) as executor:
            await executor.run(plain("def answer(): return 0"))

    with pytest.raises(ExecutorError, match="cannot be started"):
        run_to_end(main("/no/such/python"))
    with pytest.raises(ExecutorError, match="did not start"):
        run_to_end(main("/bin/false"))


def test_a_server_killed_at_its_start_is_started_again(tmp_path):
    """Use an interpreter that kills itself at its first start, as on a machine short of memory."""
    python = tmp_path / "python"
    python.write_text(f"""#!/bin/sh
if mkdir {tmp_path}/once 2>/dev/null; then kill -9 $$; fi
exec {sys.executable} "$@"
""")
    python.chmod(0o755)

    async def main():
        async with LocalExecutor(1, pythons={"python": str(python)}) as executor:
            return await executor.run(plain("def answer(): return 1"))

    assert run_to_end(main()).status == "returned"
    assert (tmp_path / "once").is_dir()


def test_an_unknown_framework_is_an_executor_error():
    with pytest.raises(ExecutorError, match=r"did not start.*no_such"):
        ForkServer("no_such", sys.executable)


def test_a_cancelled_run_kills_its_candidate(executor):
    async def main():
        task = asyncio.create_task(executor.run(plain("import time\ndef answer(): time.sleep(60)")))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run_to_end(main())
    assert wait_until(lambda: not executor._running)


def test_closing_stops_running_and_waiting_programs():
    async def main():
        executor = LocalExecutor(workers=1)
        await executor.run(plain("def answer(): return 0"))
        server = server_of(executor)
        tasks = [
            asyncio.create_task(executor.run(plain("import time\ndef answer(): time.sleep(60)"))) for _ in range(3)
        ]
        await asyncio.sleep(0.2)
        await executor.close()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(result, ExecutorError) for result in results), results
        with pytest.raises(ExecutorError, match="closed"):
            await executor.run(plain("def answer(): return 0"))
        return server

    begin = time.monotonic()
    server = run_to_end(main())
    assert time.monotonic() - begin < 10
    assert server._process.poll() is not None
    assert not Path(server._directory).exists()


def test_a_conversation_with_a_dead_server_raises_server_died():
    from repair_bench.executors.conversation import Cancel

    server = ForkServer("python", sys.executable)
    os.kill(server.pid, signal.SIGKILL)
    server._process.wait()
    cancel = Cancel()
    try:
        with pytest.raises(ServerDied):
            converse(server, plain("def answer(): return 1"), cancel)
    finally:
        cancel.close()
        server.close()


def test_a_killed_driver_leaves_no_process():
    driver = textwrap.dedent(
        """
        import asyncio, sys
        from repair_bench.executors.local import LocalExecutor
        from repair_bench.executors.program import Call, Program
        source = "import time, os\\ndef answer(): time.sleep(300)"
        async def main():
            executor = LocalExecutor(workers=2)
            program = Program("python", source, Call("answer", "state"))
            tasks = [asyncio.create_task(executor.run(program)) for _ in range(2)]
            while "python" not in executor._servers:
                await asyncio.sleep(0.01)
            server = executor._servers["python"]
            await asyncio.sleep(0.3)
            print(server.pid, server._directory, flush=True)
            await asyncio.gather(*tasks)
        asyncio.run(main())
        """
    )
    with subprocess.Popen([sys.executable, "-c", driver], stdout=subprocess.PIPE, text=True) as process:
        server, directory = process.stdout.readline().split()
        family = [int(server), *descendants(int(server))]
        assert len(family) >= 4  # two processes of the server and two candidates
        process.kill()
    assert wait_until(lambda: not set(family) & set(processes())), "left over after SIGKILL"
    assert wait_until(lambda: not Path(directory).exists())


def test_a_starved_candidate_runs_again_by_itself():
    source = """
        import time
        def answer():
            end = time.process_time() + 0.2
            while time.process_time() < end: pass
            return 1
    """

    async def main():
        async with LocalExecutor(workers=16) as executor:
            await executor.run(plain("def answer(): return 0"))
            # Sixteen of them need 3.2 s of one shared core. One by itself needs much less than its limit.
            return await asyncio.gather(*(executor.run(plain(source, wall_seconds=2)) for _ in range(16)))

    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        outcomes = run_to_end(main())
    finally:
        os.sched_setaffinity(0, cores)
    assert [returned(outcome) for outcome in outcomes] == ["1"] * 16


def test_a_candidate_that_kills_itself_counts_as_killed():
    async def main():
        async with LocalExecutor(workers=1, require_sandbox="none") as executor:
            return await executor.run(plain("import os, signal\ndef answer(): os.kill(os.getpid(), signal.SIGKILL)"))

    assert run_to_end(main()).status == "killed"
