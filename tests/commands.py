"""The result of a command that a test ran."""

from typing import NamedTuple


class Done(NamedTuple):
    """A command that has ended: its exit code and what it printed."""

    returncode: int
    stdout: str
    stderr: str
