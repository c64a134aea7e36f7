"""Commands that a test runs, and their results."""

import sys
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from repair_bench.cli import app, main


class Done(NamedTuple):
    """An ended command: its exit code and its output."""

    returncode: int
    stdout: str
    stderr: str


def exit_code(*arguments: str) -> int:
    """Run a command in this process and return its exit code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["repair-bench", *arguments])
        try:
            main()
        except SystemExit as end:
            return int(end.code or 0)
    return 0


def called(*arguments: object) -> str:
    """Return the output of a command that runs in this process and succeeds."""
    result = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output
