"""Hostile programs as the file and as the code of a diagnostic command, which runs in the sandbox of a candidate."""

import random

import pytest
from hostile_programs import PROGRAMS, HostileProgram
from surroundings import EFFECTS, Range

CHOSEN = random.Random(17).sample([p for p in PROGRAMS if p.folder in ("escape", "resources")], 10)


@pytest.mark.parametrize("program", CHOSEN, ids=str)
def test_hostile_code_in_a_command_does_no_harm(program: HostileProgram, sandboxed: Range) -> None:
    """The interpreter as command runs the file: what a plug-in of a linter, or a linter itself, could do at most."""
    seen = sandboxed.run(program, script=True, command="python {file}")
    assert seen.outcome is not None
    assert seen.effects == set(), {effect: EFFECTS[effect] for effect in seen.effects}


def test_command_really_runs_the_program(sandboxed: Range) -> None:
    program = next(p for p in CHOSEN if p.folder == "escape")
    seen = sandboxed.run(program, script=True, command="python {file}")
    assert seen.outcome is not None
    assert "attacking" in seen.outcome.stdout
