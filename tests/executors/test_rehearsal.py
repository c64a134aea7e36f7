"""The example that a fork server runs before it forks: it runs, starts no thread, and leaves no trace."""

import subprocess
import sys
from pathlib import Path

import pytest

from repair_bench.coroutines import run_to_end
from repair_bench.executors.fork_server import ENVIRONMENT, GUEST
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Call, Program
from repair_bench.frameworks import FRAMEWORKS
from repair_bench.traces.record.records import Outcome

REHEARSE = """
import importlib, importlib.util, os, sys
folder, name, adapters = sys.argv[1:]
spec = importlib.util.spec_from_file_location("guest", folder + "/__init__.py", submodule_search_locations=[folder])
sys.modules["guest"] = package = importlib.util.module_from_spec(spec)
spec.loader.exec_module(package)
rehearsal = importlib.import_module("guest.fork_server.warm_up")
if adapters:
    spec = importlib.util.spec_from_file_location("odd", adapters + "/odd_adapter.py")
    adapter = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(adapter)
else:
    adapter = importlib.import_module("guest.framework").load(name)
print(rehearsal.rehearse(adapter, os.open("/proc", os.O_PATH)), len(os.listdir("/proc/self/task")))
"""


def rehearsed(name: str, adapters: Path | str = "") -> list[str]:
    """Return the result of `rehearse` in a new interpreter, and the number of threads afterwards."""
    command = [sys.executable, "-s", "-B", "-c", REHEARSE, GUEST, name, adapters]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout.splitlines()[-1].split()


@pytest.mark.slow
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_frameworks_example_runs_and_starts_no_thread(framework: str) -> None:
    assert rehearsed(framework) == ["True", "1"]


@pytest.mark.parametrize(
    "trouble",
    ["import threading\nthreading.Thread(target=threading.Event().wait, args=(60,), daemon=True).start()", "1 / 0"],
)
def test_an_example_that_starts_threads_is_skipped(tmp_path: Path, trouble: str) -> None:
    (tmp_path / "odd_adapter.py").write_text("def observe(call, what, qubits):\n    call()\n    return {}\n")
    (tmp_path / "odd_example.py").write_text(f"{trouble}\ndef distribution(): pass\nstate = unitary = distribution\n")
    assert rehearsed("odd", tmp_path) == ["False", "1"]


def test_an_example_without_threads_runs(tmp_path: Path) -> None:
    (tmp_path / "odd_adapter.py").write_text("def observe(call, what, qubits):\n    call()\n    return {}\n")
    (tmp_path / "odd_example.py").write_text("def distribution(): pass\nstate = unitary = distribution\n")
    assert rehearsed("odd", tmp_path) == ["True", "1"]


@pytest.mark.slow
def test_the_example_leaves_no_trace_for_candidates() -> None:
    source = """
import linecache, sys
before = [name for name, module in sys.modules.items() if name == "candidate" and module.__dict__ is not globals()]
def answer():
    return {"before": before, "lines": linecache.getlines(__file__)[1], "circuit": "circuit" in globals()}
"""

    async def run() -> Outcome:
        async with LocalExecutor(1) as executor:
            return await executor.run(Program("qiskit", source, Call("answer", "state")))

    outcome = run_to_end(run())
    told = outcome.value["cases"][0]["repr"]
    assert "'before': []" in told
    assert "import linecache" in told
    assert "'circuit': False" in told
