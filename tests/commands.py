"""The result of a command that a test ran."""

import sys
from typing import NamedTuple

import pytest

from repair_bench.cli import main


class Done(NamedTuple):
    """A command that has ended: its exit code and what it printed."""

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
