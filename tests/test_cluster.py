"""Runs on a real Ray cluster: several raylets on this machine; one is killed, others join."""

import asyncio
import contextlib
import dataclasses
import importlib.util
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from test_poisoned import check_poisoned
from timeless import timeless, timeless_attempts

from repair_bench import suites
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.models.base import Request
from repair_bench.coroutines import run_to_end
from repair_bench.executors.cluster import connection, members
from repair_bench.executors.cluster.executor import RETRIES, RayExecutor
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.options import ExecutorOptions
from repair_bench.executors.program import Call, Limits, Program
from repair_bench.testing.driving import drive
from repair_bench.testing.scripted_model import ScriptedModel
from repair_bench.traces.faults import ExecutorError, UsageError
from repair_bench.traces.record.records import Attempt

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("ray") is None, reason='Ray is absent: pip install "repair-bench[cluster]"'
    ),
    pytest.mark.filterwarnings("ignore"),  # Ray's
]

SECONDS = 120.0
CANARY = "canary-5309"


class RealCluster:
    """A head node without cores, and nodes with one core each."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self._cluster = Cluster()
        self._start(num_cpus=0, include_dashboard=False)
        self.address = self._cluster.address
        self._nodes: list[Any] = []

    def _start(self, **more: Any) -> Any:
        for left in (2, 1, 0):
            try:
                return self._cluster.add_node(node_ip_address="127.0.0.1", object_store_memory=100 << 20, **more)
            except Exception:  # Ray gives a node 30 s to start, which can be too short on a busy machine
                if not left:
                    raise
        raise AssertionError

    def add(self) -> Any:
        self._nodes.append(self._start(num_cpus=1))
        return self._nodes[-1]

    def kill(self, node: Any) -> None:
        """Kill its raylet; its other processes must notice it."""
        raylet = node.all_processes["raylet"][0].process
        raylet.kill()
        raylet.wait(SECONDS)
        self._nodes.remove(node)

    def have(self, count: int) -> list[Any]:
        while len(self._nodes) < count:
            self.add()
        while len(self._nodes) > count:
            self._cluster.remove_node(self._nodes.pop())
        return self._nodes

    def shutdown(self) -> None:
        self._cluster.shutdown()


@pytest.fixture(scope="module")
def cluster() -> Iterator[RealCluster]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NODE_API_KEY", CANARY)  # the user who starts the nodes may have keys
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_AUTH_MODE", "token")
        patch.setenv("RAY_AUTH_TOKEN", "0" * 32)
        patch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # loopback only
        patch.delenv("RAY_ADDRESS", raising=False)
        real = RealCluster()
        try:
            yield real
        finally:
            real.shutdown()


@pytest.fixture
def executor(cluster: RealCluster) -> Iterator[RayExecutor]:
    cluster.have(2)
    executor = ExecutorOptions(backend="ray", ray_address=cluster.address).open()
    assert isinstance(executor, RayExecutor)
    yield executor
    executor.shutdown()


def plain(source: str, **more: Any) -> Program:
    return Program("python", source, Call("answer", "state"), Limits(), **more)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def descendants(pid: int) -> list[int]:
    with contextlib.suppress(OSError):
        below = [int(child) for task in Path(f"/proc/{pid}/task").iterdir()
                 for child in (task / "children").read_text().split()]  # fmt: skip
        return below + [pid for child in below for pid in descendants(child)]
    return []


def eventually(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def on_each_node(executor: RayExecutor, look: Callable[[Any], Any]) -> list[Any]:
    """Return the result of a function in the process of each node's actor."""
    import ray

    actors = [member.actor for member in executor._members.all()]
    return ray.get([actor.__ray_call__.remote(look) for actor in actors], timeout=SECONDS)


def processes(executor: RayExecutor) -> set[int]:
    """Return the processes of the actors and their children."""
    actors = on_each_node(executor, lambda _: os.getpid())
    return {pid for actor in actors for pid in [actor, *descendants(actor)]}


def in_order(attempts: list[Attempt]) -> list[dict[str, Any]]:
    return timeless([attempt.to_json() for attempt in sorted(attempts, key=lambda a: (a.episode, a.attempt))])


def test_capacity_is_the_sum_over_nodes(executor: RayExecutor) -> None:
    assert executor.capacity == sum(node["cores"] for node in executor.nodes) > 0


def test_cluster_has_local_outcomes_and_reports_layers_per_node(executor: RayExecutor) -> None:
    programs = [
        plain("import random\ndef answer():\n    return random.random()", seed=7),
        plain("def answer():\n    print('said')\n    raise ValueError('as planned')"),
        plain("import os\ndef answer():\n    os._exit(3)"),
        plain("def answer(:"),
    ]

    async def outcomes(on: Any) -> list[Any]:
        found = await asyncio.gather(*(on.run(program) for program in programs * 3))
        return [dataclasses.replace(outcome, cpu_seconds=None, wall_seconds=None) for outcome in found]

    local = LocalExecutor(workers=1)
    try:
        expected = run_to_end(outcomes(local))
        assert run_to_end(outcomes(executor)) == expected
        assert executor.layers("python") == local.layers("python")
        assert executor.versions("python") == local.versions("python")
        assert [node["sandbox"]["python"] for node in executor.nodes] == [local.layers("python")] * 2
    finally:
        local.shutdown()


def test_closed_cluster_leaves_no_process(executor: RayExecutor) -> None:
    async def closed_meanwhile() -> list[Any]:
        sleeping = [
            asyncio.create_task(executor.run(plain("import time\ndef answer(): time.sleep(600)"))) for _ in "ab"
        ]
        await asyncio.to_thread(eventually, lambda: len(processes(executor)) >= 2 * 3)
        started = processes(executor)
        await executor.close()
        return [started, *await asyncio.gather(*sleeping, return_exceptions=True)]

    started, *ends = run_to_end(closed_meanwhile())
    assert all("closed" in str(end) for end in ends), ends
    assert eventually(lambda: not any(map(alive, started)))


def test_actor_that_exits_counts_as_lost_without_a_crash(executor: RayExecutor) -> None:
    import ray

    class Leaving:
        def leave(self) -> None:
            ray.actor.exit_actor()

    actor = ray.remote(Leaving).options(num_cpus=0).remote()
    with pytest.raises(connection.Lost):
        connection.wait(actor.leave.remote(), SECONDS)
    with pytest.raises(connection.Lost):
        connection.wait(actor.leave.remote(), SECONDS)
    assert isinstance(connection.sort_out(SystemExit(0)), connection.Lost)
    assert issubclass(SystemExit, connection.broken())


def test_no_key_of_the_driver_or_of_a_node_is_in_an_actor(
    cluster: RealCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.have(1)
    monkeypatch.setenv("DRIVER_API_KEY", f"{CANARY}-of-the-driver")
    executor = ExecutorOptions(backend="ray", ray_address=cluster.address).open()
    try:
        executor.layers("python")
        (held,) = on_each_node(executor, lambda _: dict(os.environ))
        assert CANARY not in str(held)
        (given,) = on_each_node(executor, lambda _: Path("/proc/self/environ").read_text())
        assert "of-the-driver" not in given
        for pid in processes(executor) - set(on_each_node(executor, lambda _: os.getpid())):
            assert CANARY not in Path(f"/proc/{pid}/environ").read_text()
    finally:
        executor.shutdown()
    assert os.environ["DRIVER_API_KEY"] == f"{CANARY}-of-the-driver"


def slow_then_right(request: Request) -> str:
    """Three answers: two that sleep and fail, then the reference."""
    if request.attempt == 2:
        return f"```python\n{request.task.reference}\n```"
    failure = "raise ValueError('as planned')" if request.attempt else "return None"
    return f"```python\nimport time\ndef {request.task.entry_point}(*_):\n    time.sleep(3)\n    {failure}\n```"


def test_killed_raylet_changes_no_attempt(executor: RayExecutor, cluster: RealCluster, tmp_path: Path) -> None:
    suite = run_to_end(suites.load("aligned"))
    episodes = Experiment(models=("scripted/test",), frameworks=("qiskit",), limit=4, max_attempts=2).episodes([suite])
    result, expected, _ = drive(tmp_path / "undisturbed", episodes, [ScriptedModel(slow_then_right)])
    assert (result.pending, len(expected)) == (0, 12)

    executor.layers("qiskit")
    started = processes(executor)
    victim = cluster.have(2)[0]

    def kill() -> None:
        file = tmp_path / "disturbed" / "attempts.jsonl"
        if eventually(lambda: file.exists() and file.stat().st_size > 0):
            cluster.kill(victim)

    killer = threading.Thread(target=kill)
    killer.start()
    result, attempts, _ = drive(
        tmp_path / "disturbed", episodes, [ScriptedModel(slow_then_right)], executor=executor, concurrency=8
    )
    killer.join(SECONDS)
    assert (result.pending, result.faults) == (0, 0)
    assert in_order(attempts) == in_order(expected)
    said = "\n".join(executor.closing_lines())
    assert "was lost" in said
    assert re.search("[1-9][0-9]* executions were repeated because their node failed or was lost", said)
    assert [node["lost"] is None for node in executor.nodes].count(True) == 1

    cluster.add()  # a node that joins later is used
    assert eventually(lambda: len(executor.nodes) == 3)
    assert all("qiskit" in node["sandbox"] for node in executor.nodes)
    started |= processes(executor)
    executor.shutdown()
    assert eventually(lambda: not any(map(alive, started)))


def test_poisoned_answers_affect_no_other_answer(executor: RayExecutor, tmp_path: Path) -> None:
    check_poisoned(executor, tmp_path)


TAMPERING = """
    wire_told_is_passed wire_told_passed_beside wire_attributes_functions wire_instance_with_methods
    wire_names_claim_a_library wire_frame_one_byte_too_long wire_value_of_3000_levels wire_iterator_without_end
    lie_by_function_attributes lie_mock_any lie_magic_mock kill_self_0 _exit0_in_call leave_no_memory
"""
RECORDS = "deep_observation unknown_keys keys_twice surrogates_in_registers printed_escapes shots_without_end"
"""The strongest programs of `tests/hostile`, by their folder there."""


def test_hostile_programs_fail_and_no_node_is_lost(executor: RayExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).with_name("hostile")))
    from hostile_programs import PROGRAMS
    from records_kept import flaws
    from ways import WAYS

    programs, way = {program.name: program for program in PROGRAMS}, WAYS["stub"]

    async def tampering(name: str) -> None:
        outcome = await executor.run(way.program("qiskit", programs[name].source))
        assert way.judge("qiskit", outcome).kind in {"wrong_answer", "exception", "limit"}, (name, outcome)
        assert outcome.sealed == "stub", (name, outcome)

    async def kept(name: str) -> None:
        program = programs[name]
        call = Call("answer", "distribution", ((),))
        outcome = await executor.run(Program(program.framework, program.source, call, program.bounds))
        assert flaws(outcome) == set(), (name, outcome)
        assert outcome.status in program.accept, (name, outcome)

    async def all_of_them() -> None:
        await asyncio.gather(*map(tampering, TAMPERING.split()), *map(kept, RECORDS.split()))

    nodes = sorted(on_each_node(executor, lambda _: os.getpid()))
    run_to_end(all_of_them())
    assert sorted(on_each_node(executor, lambda _: os.getpid())) == nodes


def test_repeated_loss_of_a_node_is_an_infrastructure_error(
    cluster: RealCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(members, "JOINS", 10)
    cluster.have(1)
    executor = ExecutorOptions(backend="ray", ray_address=cluster.address).open()
    killed: list[int] = []

    def kill_actors() -> None:
        """Kill only the actor; its node survives and is used again."""
        while len(killed) <= RETRIES:
            with contextlib.suppress(Exception):
                (actor,) = on_each_node(executor, lambda _: os.getpid())
                if len(descendants(actor)) > 2:  # the two processes of the server, and a candidate
                    os.kill(actor, signal.SIGKILL)
                    killed.append(actor)
            time.sleep(0.1)

    killer = threading.Thread(target=kill_actors)
    killer.start()
    try:
        with pytest.raises(ExecutorError, match=f"abandoned after {RETRIES + 1} executions") as raised:
            run_to_end(executor.run(plain("import time\ndef answer(): time.sleep(100)")))
        killer.join(SECONDS)
        assert raised.value.retries == RETRIES
        assert len(set(killed)) == RETRIES + 1
        outcome = run_to_end(executor.run(plain("def answer(): return 1")))
        assert outcome.status == "returned"
    finally:
        executor.shutdown()


def test_a_node_with_other_versions_is_refused_by_name(
    cluster: RealCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.have(1)
    executor = ExecutorOptions(backend="ray", ray_address=cluster.address).open()
    try:
        (tmp_path / "sitecustomize.py").write_text(
            "from repair_bench import _version\n_version.__version__ = '0.0.1'\n"
        )
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))  # an older installation, on this node only
        cluster.add()
        assert eventually(lambda: bool(executor.closing_lines()))
        (line,) = executor.closing_lines()
        assert "have different versions" in line
        assert "0.0.1" in line
        assert len(executor.nodes) == 1
    finally:
        executor.shutdown()
    with pytest.raises(UsageError, match=r"nodes \S+ \(\w{8}\) and .* have different versions: .*repair-bench: "):
        ExecutorOptions(backend="ray", ray_address=cluster.address).open()
    cluster.have(1)


def test_node_with_a_broken_framework_is_excluded_by_name(
    cluster: RealCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    broken = "from repair_bench.executors import fork_server\nfork_server.GUEST = fork_server.Path('/nowhere')\n"
    (tmp_path / "sitecustomize.py").write_text(broken)  # a broken installation, on this node only
    cluster.have(1)
    with monkeypatch.context() as patch:
        patch.setenv("PYTHONPATH", str(tmp_path))
        cluster.have(2)
    executor = ExecutorOptions(backend="ray", ray_address=cluster.address, quiet=False).open()
    try:
        executor.layers("python")
        left_out = [node for node in executor.nodes if node["lost"]]
        assert len(left_out) == 1
        line = f"node {left_out[0]['node']} was excluded: the python fork server did not start: "
        assert [text for text in executor.closing_lines() if text.startswith(line)]
        told = capfd.readouterr().err.splitlines()
        assert len([text for text in told if text.startswith(line)]) == 1
        assert len([text for text in told if text.startswith("sandbox: ")]) == 1
        assert run_to_end(executor.run(plain("def answer(): return 1"))).status == "returned"
    finally:
        executor.shutdown()
    cluster.have(0)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    cluster.have(1)
    executor = ExecutorOptions(backend="ray", ray_address=cluster.address).open()
    try:
        with pytest.raises(
            ExecutorError, match=r"the Ray cluster has no nodes left; node \S+ \(\w{8}\) was excluded: "
        ):
            executor.layers("python")
    finally:
        executor.shutdown()
        cluster.have(0)


SHORT_WAITS = """
import sys
from repair_bench.executors.cluster import connection, members
connection.CONNECT_SECONDS, members.HEAD_SECONDS = 20.0, 5.0
from repair_bench.cli import main
main()
"""
RUN = [sys.executable, "-c", SHORT_WAITS, "run", "--framework", "qiskit", "--model", "sim/novice", "--backend", "ray"]


def test_server_that_is_not_ray_is_refused_in_time(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:  # it accepts connections and never answers
        address = "{}:{}".format(*other.getsockname())
        done = subprocess.run(
            [*RUN, "--ray-address", address], cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1].startswith(f"repair-bench: cannot use a Ray cluster at {address}: ")
    assert list(tmp_path.iterdir()) == []


def test_a_killed_head_node_ends_the_run_with_how_to_resume(cluster: RealCluster, tmp_path: Path) -> None:
    other = RealCluster()
    other.add()
    try:
        with subprocess.Popen(
            [*RUN, "--ray-address", other.address, "--max-attempts", "5", "--out", "r", "--concurrency", "2"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            file = tmp_path / "r" / "attempts.jsonl"
            assert eventually(lambda: process.poll() is not None or (file.exists() and file.stat().st_size > 0))
            head = other._cluster.head_node.all_processes["gcs_server"][0].process
            head.kill()
            head.wait(SECONDS)
            _, errors = process.communicate(timeout=SECONDS)
    finally:
        with contextlib.suppress(Exception):  # it cannot disconnect from a head
            other.shutdown()
    assert process.returncode == 2, errors
    assert f"the head node of the Ray cluster ({other.address}) has not answered for " in errors
    assert errors.splitlines()[-1].endswith("restart Ray. No results are lost. To resume: repair-bench run --resume r")


def test_local_ray_has_no_key_and_ends_with_the_command(tmp_path: Path) -> None:
    run = [sys.executable, "-m", "repair_bench", "run", "--framework", "qiskit", "--limit", "3", "--max-attempts", "1",
           "--model", "sim/novice", "--json"]  # fmt: skip
    here = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    subprocess.run([*run, "--out", tmp_path / "local"], check=True, capture_output=True, timeout=300)
    with subprocess.Popen(
        [*run, "--out", tmp_path / "ray", "--backend", "ray"],
        env={**here, "DRIVER_API_KEY": CANARY, "RAY_AUTH_TOKEN": "1" * 32},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        seen: dict[int, str] = {}
        while process.poll() is None:
            for pid in descendants(process.pid):
                with contextlib.suppress(OSError):
                    command, given = (Path(f"/proc/{pid}/{name}").read_text() for name in ("cmdline", "environ"))
                    if "ray" in command:
                        seen[pid] = given
            time.sleep(0.2)
        out, errors = (stream.read().decode() for stream in (process.stdout, process.stderr))
    assert process.returncode == 0, errors
    assert json.loads(out)["total"]
    assert seen
    assert not any(CANARY in given for given in seen.values())
    assert eventually(lambda: not any(map(alive, seen)))
    local, ray = (timeless_attempts(tmp_path / name) for name in ("local", "ray"))
    assert ray == local
    manifest = json.loads((tmp_path / "ray" / "run.json").read_text())
    assert [set(node["sandbox"]) for node in manifest["nodes"]] == [{"qiskit"}]
    (session,) = (tmp_path / "ray" / "nodes.jsonl").read_text().splitlines()
    assert json.loads(session)["nodes"] == manifest["nodes"]


def load(directory: Path) -> list[Attempt]:
    from repair_bench.testing.made_up_runs import load_run

    return load_run(directory)[1]
