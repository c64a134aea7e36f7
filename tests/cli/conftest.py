"""Commands as a user gives them."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from repair_bench.cli import main


class Done(NamedTuple):
    """A command that has ended: its exit code and what it printed."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run a command in this process, in an empty directory: what a user would see, without a start-up a command."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REPAIR_BENCH_ENVS", str(tmp_path / "envs"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def run(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["repair-bench", *arguments])
        try:
            main()
        except SystemExit as end:
            code = end.code
        else:
            code = 0
        return Done(int(code or 0), *capfd.readouterr())

    return run
