"""Which fork server a program goes to: the lean one of its framework, or one that has imported more.

A fork copies the page tables of all that its server has imported. What few programs import (plots, a vendor's client)
would make every candidate pay, so it stands in a second server, started when a program first names it. A program that
reaches such a package by another way imports it itself, in its own CPU time: slower, and no other outcome.
"""

from __future__ import annotations

from repair_bench.executors.program import Call, Program, UnitTest
from repair_bench.frameworks import FRAMEWORKS


def is_wide(program: Program) -> bool:
    """Whether a program, or what is run around it, names what only the second server has imported."""
    framework = FRAMEWORKS.get(program.framework)
    if framework is None or framework.wide is None:
        return False
    call = program.call
    around = (
        (call.test, call.preamble) if isinstance(call, UnitTest) else (call.setup,) if isinstance(call, Call) else ()
    )
    return any(framework.wide.search(text) for text in (program.source, *around))
