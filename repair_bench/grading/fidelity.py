"""Process fidelity of a whole program with its task's reference (QuanBench+, appendix F). Reported, never scored.

F = |tr(U_ref^dagger U) / d|^2 with d = 2^n, where both are unitaries on as many qubits; measurements at the end of a
circuit are left out. A right answer may well have a low fidelity, by other phases, other helper qubits or another order
of them, and a wrong one a high fidelity: that is why it decides nothing.
"""

from __future__ import annotations

from repair_bench.executors.program import Call
from repair_bench.grading.judge import Judge
from repair_bench.suites.checks import CircuitCheck, observation, order
from repair_bench.suites.checks.observation import Unreadable
from repair_bench.suites.checks.order import Array
from repair_bench.suites.checks.unitary import process_fidelity
from repair_bench.suites.task import Task


class Fidelities:
    """The process fidelities of answers. A reference is executed once, however many answers there are."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._references: dict[tuple[str, str, str], list[Array] | None] = {}

    async def of(self, task: Task, code: str) -> float | None:
        """The smallest over the task's cases, in [0, 1]; None where one is no unitary, or their sizes differ.

        Executes the code once more. Raises a `Fault` for what is broken on our side.
        """
        key = (task.suite, task.id, task.framework)
        if key not in self._references:
            self._references[key] = await self._unitaries(task, task.reference) if task.reference else None
        wanted = self._references[key]
        got = await self._unitaries(task, code) if wanted is not None else None
        if wanted is None or got is None or any(u.shape != v.shape for u, v in zip(wanted, got, strict=True)):
            return None
        return min(process_fidelity(u, v) for u, v in zip(wanted, got, strict=True))

    async def _unitaries(self, task: Task, code: str) -> list[Array] | None:
        """One a case, in neutral order."""
        check = task.check
        if not isinstance(check, CircuitCheck):
            return None
        call = Call(task.entry_point, "unitary", cases=tuple(case.args for case in check.cases), setup=check.setup)
        try:
            seen = await self._judge.observe(task, code, call, limits=check.limits)
            return [order.unitary(observation.unitary(case), task.framework) for case in seen]
        except Unreadable:
            return None
