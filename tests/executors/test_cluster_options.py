"""Options of a cluster, and imports of Ray; no cluster is started."""

import os
import socket
import subprocess
import sys

import pytest

from repair_bench.executors.cluster import connection
from repair_bench.executors.options import ExecutorOptions
from repair_bench.traces.faults import UsageError


@pytest.mark.slow
def test_ray_is_imported_only_for_the_ray_backend() -> None:
    script = """
import sys
from repair_bench.agent import run_setup
from repair_bench.cli import app
from repair_bench.executors.options import ExecutorOptions
ExecutorOptions(workers=1).open().shutdown()
print([name for name in sys.modules if name.split(".")[0] == "ray"])
"""
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"backend": "slurm"}, "choose from local, ray"),
        ({"ray_address": "127.0.0.1:6379"}, "--ray-address requires --backend ray"),
        ({"backend": "ray", "ray_address": "ray://127.0.0.1:10001"}, "Ray Client"),
    ],
)
def test_invalid_options_are_usage_errors(options: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        ExecutorOptions(**options).open()


def test_an_unreachable_cluster_is_reported_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = "{}:{}".format(*taken.getsockname())
    with pytest.raises(UsageError, match=f"no Ray cluster responded at {address}: "):
        ExecutorOptions(backend="ray", ray_address=address).open()


def test_a_missing_extra_is_named_in_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"repair-bench\[cluster\]"):
        ExecutorOptions(backend="ray").open()


def test_ray_processes_inherit_only_harmless_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "canary")
    monkeypatch.setenv("RAY_SOMETHING", "1")
    before = dict(os.environ)
    with connection.bare_environment():
        assert "SOME_API_KEY" not in os.environ
        assert os.environ["RAY_SOMETHING"] == "1"
        assert os.environ["PATH"] == before["PATH"]
    assert dict(os.environ) == before
