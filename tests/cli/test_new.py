"""`repair-bench new` writes plug-ins that work, and refuses names that cannot work."""

import os
import subprocess
import sys

import pytest

from repair_bench import plugins
from repair_bench.cli.commands.new import Kind
from repair_bench.report import plots

NAMES = {kind: f"my-{kind}" for kind in Kind}


@pytest.mark.slow
def test_skeletons_pass_their_tests_and_are_found(cli, tmp_path, monkeypatch) -> None:
    for kind, name in NAMES.items():
        done = cli("new", str(kind), name)
        assert done.returncode == 0, done.stderr
        assert f"\n    python -m pytest {name}\n    repair-bench " in done.stdout
        assert len(list((tmp_path / name).iterdir())) == 3
    target = tmp_path / "installed"
    folders = [f"./{name}" for name in NAMES.values()]
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*install, "--target", str(target), *folders], cwd=tmp_path, check=True, timeout=300)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *folders]
    subprocess.run(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(target)}, check=True, timeout=300)

    monkeypatch.syspath_prepend(str(target))
    assert {kind: plugins.names(kind) for kind in ("suites", "feedback", "models", "plots")} == {
        "suites": [NAMES[Kind.suite]],
        "feedback": [NAMES[Kind.policy]],
        "models": [NAMES[Kind.provider]],
        "plots": [NAMES[Kind.plot]],
    }
    assert f"\n{NAMES[Kind.suite]} " in cli("suites", "list").stdout
    plots.check([NAMES[Kind.plot]])
    chosen = ["--suite", NAMES[Kind.suite], "--feedback", NAMES[Kind.policy], "--model", f"{NAMES[Kind.provider]}/one"]
    planned = cli("run", *chosen, "--plan")
    assert planned.returncode == 0, planned.stderr


@pytest.mark.parametrize(
    ("kind", "name", "says"),
    [
        ("suite", "My-Suite", "'My-Suite' cannot be the name of a plug-in"),
        ("suite", "../coins", "'../coins' cannot be the name"),
        ("suite", "class", "'class' cannot be the name"),
        ("suite", "aligned", "there is a built-in suite named 'aligned'"),
        ("policy", "verdict", "there is a built-in policy named 'verdict'"),
        ("provider", "sim", "there is a built-in provider named 'sim'"),
        ("plot", "information", "there is a built-in plot named 'information'"),
        ("plot", "json", "a module named 'json' is already installed"),
        ("loop", "mine", "'loop' is not one of"),
    ],
)
def test_name_that_cannot_work_is_refused_in_one_line(cli, tmp_path, kind, name, says) -> None:
    done = cli("new", kind, name)
    assert done.returncode == 2
    assert says in done.stderr
    assert len([line for line in done.stderr.splitlines() if line and not line.startswith(("Usage:", "Try "))]) == 1
    assert list(tmp_path.iterdir()) == []


def test_existing_folder_is_not_changed(cli, tmp_path) -> None:
    (tmp_path / "coins").mkdir()
    done = cli("new", "suite", "coins")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "coins already exists" in done.stderr
    assert list((tmp_path / "coins").iterdir()) == []
