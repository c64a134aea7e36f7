"""What an OpenQASM 3 program may use, on all its paths together, so that it ends in time and fits into the memory.

All is counted, not measured, so a program is refused on every machine or on none.
"""

from __future__ import annotations

from .exact import Branches
from .openqasm3_errors import Refused

MAX_STEPS = 100_000
"""Statements that are run, and turns of loops."""
MAX_WORK = 1 << 29
"""Amplitudes that operations make: those of a whole state for each gate."""
MAX_HELD = 1 << 24
"""Amplitudes of all states that the measurements of one path may have left."""


class Budget:
    """What was used so far. Its methods raise `Refused` for more than there is."""

    def __init__(self) -> None:
        self._paths = 0
        self._steps = 0
        self._work = 0

    def path(self) -> None:
        """Another path is begun; its statements bound how many there are."""
        self._paths += 1

    def step(self) -> None:
        """Another statement is run."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise Refused("the program runs more than {} statements{}".format(MAX_STEPS, self._ways()))

    def operation(self, before: Branches, after: Branches) -> None:
        """An operation has made other branches of some."""
        if sum(branch.rows.size for branch in after) > MAX_HELD:
            raise Refused("its measurements leave more states of so many qubits than can be simulated")
        kept = {id(branch.rows) for branch in before}
        self._work += sum(branch.rows.size for branch in after if id(branch.rows) not in kept)
        if self._work > MAX_WORK:
            raise Refused("these are more operations on so many qubits than can be simulated" + self._ways())

    def _ways(self) -> str:
        if self._paths == 1:
            return ""
        return ", on the {} ways that it took through its measurements so far".format(self._paths)
