"""Programs without an idea: the empty one, a Hadamard gate on each qubit, and one that returns nothing.

A check that lets one of them pass says little about the answers that it lets pass.
"""

from __future__ import annotations

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites.checks import CircuitCheck, DistributionCheck, UnitTestCheck
from repair_bench.suites.task import Task

BLANKS = ("empty", "hadamards", "nothing")
"""Their names."""

_NOTHING = """
def {entry_point}(*args, **kwargs):
    return None
"""


def blanks(task: Task) -> dict[str, str]:
    """The programs by name, on as many qubits as the task asks for, measured as it asks.

    A unit test may ask for anything, so there it is the one that returns nothing, beside all else that the reference
    defines: a test may use that too.
    """
    nothing = {"nothing": _NOTHING.format(entry_point=task.entry_point)}
    if isinstance(task.check, UnitTestCheck):
        return {"nothing": f"{task.reference or ''}\n{nothing['nothing']}"}
    if not isinstance(task.check, CircuitCheck):
        return {}
    return _circuits(task, task.check) | nothing


def _circuits(task: Task, check: CircuitCheck) -> dict[str, str]:
    blanks = FRAMEWORKS[task.framework].blanks
    if blanks is None:
        return {}
    template, words = blanks.programs[check.observe], {"entry_point": task.entry_point, "size": size(check)}
    gates = {"empty": blanks.empty, "hadamards": blanks.hadamards}
    return {name: template.format(gates=text.format(**words), **words) for name, text in gates.items()}


def size(check: CircuitCheck) -> int:
    """Measured bits of a distribution, qubits of a state or a unitary."""
    expected = check.cases[0].expected
    if isinstance(check, DistributionCheck):
        return len(next(iter(expected)))
    return int(check.qubits or len(expected).bit_length() - 1)
