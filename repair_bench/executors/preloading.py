"""Which fork server a program goes to: the lean one of its framework, or one that has imported more.

A fork copies the page tables of all that its server has imported. What few programs import (plots, a vendor's client)
would make every candidate pay, so it stands in a second server, started when a program first names it. A program that
reaches such a package by another way imports it itself, in its own CPU time: slower, and no other outcome.
"""

from __future__ import annotations

import re

from repair_bench.executors.program import Program, UnitTest

WIDE = {
    "qiskit": re.compile(
        r"\b(matplotlib|mpl|visualization|qiskit_ibm_runtime|transpile|generate_preset_pass_manager)\b"
    )
}
"""What the programs of a framework name that need more than its lean server has imported. Qiskit's transpiler loads its
plugins, and the vendor's client with them, where that is installed."""


def is_wide(program: Program) -> bool:
    """Whether a program, or what is run around it, names what only the second server has imported."""
    names = WIDE.get(program.framework)
    if names is None:
        return False
    call = program.call
    around = (call.test, call.preamble) if isinstance(call, UnitTest) else (call.setup,)
    return any(names.search(text) for text in (program.source, *around))
