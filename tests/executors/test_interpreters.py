"""The interpreter of each framework, errors for unusable ones, and environments."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from repair_bench.executors import environments, interpreters
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.options import ExecutorOptions
from repair_bench.traces.faults import UsageError


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """Use an empty folder of environments."""
    monkeypatch.setenv("REPAIR_BENCH_ENVS", str(tmp_path / "envs"))
    return tmp_path / "envs"


@pytest.fixture
def bare(home) -> Path:
    """Create the environment `bare`, which contains only Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home / "bare"], check=True, timeout=60)
    return home / "bare"


def command(path: Path, script: str) -> str:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_the_option_assigns_an_interpreter_per_framework():
    assert interpreters.parse(["qiskit=old", "cirq=/usr/bin/python3"]) == {"qiskit": "old", "cirq": "/usr/bin/python3"}
    assert interpreters.parse([]) == {}


@pytest.mark.parametrize("given", [["qiskit"], ["qiskit="], ["qiskit=a", "qiskit=b"]])
def test_invalid_values_of_the_option_are_refused(given):
    with pytest.raises(UsageError, match="--python 'qiskit"):
        interpreters.parse(given)


def test_environments_precede_commands_of_the_same_name(bare):
    assert interpreters.environment_names() == ["bare"]
    assert interpreters.find("bare") == bare / "bin" / "python"
    assert interpreters.find(sys.executable) == Path(sys.executable)
    assert interpreters.find("sh").name == "sh"
    with pytest.raises(UsageError, match=r"'old' is neither an interpreter.*available: bare"):
        interpreters.find("old")


def test_without_environments_the_error_names_the_command(home):
    with pytest.raises(UsageError, match="repair-bench env create"):
        interpreters.find("old")


def test_examining_an_interpreter_returns_path_and_version(bare):
    link = bare.parent / "python-by-another-name"
    command(link, f'exec {bare}/bin/python "$@"')
    path, version = interpreters.examine(link)
    assert path == bare / "bin" / "python"
    assert version == ".".join(map(str, sys.version_info[:3]))


def test_a_too_old_interpreter_is_refused(tmp_path):
    old = command(tmp_path / "python2.7", "echo /usr/bin/python2.7; echo 2.7.18")
    with pytest.raises(UsageError, match=r"is Python 2\.7\.18; Python 3\.8 or later is required"):
        interpreters.examine(Path(old))


@pytest.mark.parametrize("script", ["echo hello", "exit 1", "exec /nonesuch"])
def test_a_command_other_than_python_is_refused(tmp_path, script):
    with pytest.raises(UsageError, match="is not a working Python interpreter"):
        interpreters.examine(Path(command(tmp_path / "python", script)))


def test_a_missing_framework_is_reported_with_the_import_error(bare):
    with pytest.raises(UsageError) as refused:
        interpreters.resolve({"qiskit": "bare"})
    assert "cannot import qiskit: " in str(refused.value)
    assert str(refused.value).endswith("ModuleNotFoundError: No module named 'numpy'")
    assert "\n" not in str(refused.value)


def test_an_unknown_framework_is_refused():
    with pytest.raises(UsageError, match="there is no framework named 'braket'"):
        interpreters.resolve({"braket": sys.executable})


@pytest.mark.slow
def test_the_versions_equal_those_of_the_fork_server():
    resolved = interpreters.resolve({"qiskit": sys.executable})
    assert resolved == {"qiskit": sys.executable}
    executor = LocalExecutor(pythons=resolved)
    try:
        assert executor.versions("qiskit") == interpreters.versions("qiskit", Path(sys.executable))
    finally:
        executor.shutdown()


def test_an_executor_returns_the_import_path_of_an_interpreter(bare):
    executor = LocalExecutor(pythons={"qiskit": str(bare / "bin" / "python")})
    path = executor.import_path("qiskit")
    executor.shutdown()
    assert any(entry.startswith(str(bare)) for entry in path)
    assert not any("site-packages" in entry and not entry.startswith(str(bare)) for entry in path)
    assert executor.import_path("cirq") is None


def test_unsatisfiable_options_start_no_executor(home):
    with pytest.raises(UsageError, match="old"):
        ExecutorOptions(pythons={"qiskit": "old"}).open()
    with pytest.raises(UsageError, match="--require-sandbox 'perhaps': choose from strict, best, none"):
        ExecutorOptions(require_sandbox="perhaps").open()


# environments


def test_environments_are_listed_and_removed_by_name(bare):
    (found,) = environments.listed()
    assert (found.name, found.python) == ("bare", ".".join(map(str, sys.version_info[:3])))
    assert found.row() == {
        "name": "bare",
        "python": found.python,
        "packages": {},
        "interpreter": str(bare / "bin" / "python"),
    }
    with pytest.raises(UsageError, match="there is no environment named 'other'"):
        environments.remove("other")
    environments.remove("bare")
    assert not bare.exists()


@pytest.mark.parametrize("name", ["", ".hidden", "a/b", "..", "two words"])
def test_an_invalid_environment_name_is_refused(home, name):
    with pytest.raises(UsageError, match="is not a valid name"):
        environments.create(name, ["qiskit"])
    assert not home.exists()


def test_an_existing_environment_name_is_refused(bare):
    with pytest.raises(UsageError, match="the environment 'bare' already exists"):
        environments.create("bare", ["qiskit"])


def test_the_base_interpreter_is_checked_first(home, tmp_path):
    with pytest.raises(UsageError, match="is neither an interpreter"):
        environments.create("old", ["qiskit"], python="nonesuch")
    old = command(tmp_path / "python3.7", "echo /usr/bin/python3.7; echo 3.7.16")
    with pytest.raises(UsageError, match=r"Python 3\.7\.16; Python 3\.8 or later"):
        environments.create("old", ["qiskit"], python=old)
    assert not home.exists()


def test_a_folder_that_cannot_be_created_is_named(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("REPAIR_BENCH_ENVS", str(tmp_path / "file" / "envs"))
    with pytest.raises(UsageError, match=r"file/envs cannot be written: Not a directory"):
        environments.create("old", ["qiskit"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "says"),
    [("qiskit==0.46.99", "qiskit==0.46.99"), ("qiskit==", "qiskit=="), ("colorama", "none of qiskit, pennylane, cirq")],
)
def test_a_failed_installation_leaves_no_files(home, monkeypatch, package, says):
    with pytest.raises(UsageError) as refused:
        environments.create("old", [package])
    if "cannot be reached" in str(refused.value) and not os.environ.get("REPAIR_BENCH_CI"):
        pytest.skip("a package index is needed")
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)
    assert list(home.iterdir()) == []


@pytest.mark.slow
def test_a_missing_network_is_reported_and_leaves_no_files(home, monkeypatch):
    nobody = "http://127.0.0.1:9/simple"
    own = {"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": nobody, "PIP_RETRIES": "1", "PIP_FIND_LINKS": ""}
    for name, value in {**own, "UV_DEFAULT_INDEX": nobody, "UV_NO_CONFIG": "1", "UV_HTTP_RETRIES": "1"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match="the package index cannot be reached"):
        environments.create("old", ["qiskit==0.46.0"])
    assert list(home.iterdir()) == []
