"""The check of an answer: does the answer return a correct circuit within the cost budget for every hidden instance?

Visible and hidden instances are disjoint and have the same size. Feedback may show the costs of visible instances; only
the hidden instances determine the verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from repair_bench.executors.program import Instances, Limits, Program
from repair_bench.suites.checks import observation
from repair_bench.suites.checks.judge import FREE_GATES, LIMITS, UNREADABLE, not_returned
from repair_bench.suites.checks.observation import Unreadable
from repair_bench.suites.horizon.family import Circuit, Family, Incorrect, Instance
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import ExceptionInfo, Outcome, Verdict

WALL_SECONDS = 60.0
"""The wall-clock limit per instance."""
RULE = "budget"
_QUBITS = {"cx": 2, "cz": 2}
_ROTATIONS = ("rz", "p")
_OTHER_PROBLEMS = {"skipped": "not run, because no visible instance returned a circuit", "malformed": UNREADABLE}


@dataclass(frozen=True, eq=False, repr=False)
class BudgetCheck:
    """The check of a task. `budgets`: one per instance; the first half of the instances is visible.

    `seconds`: the limit per instance, in normalised CPU seconds.
    """

    family: Family
    size: int
    instances: tuple[Instance, ...]
    budgets: tuple[int, ...]
    seconds: float
    rule: str = RULE

    @property
    def visible(self) -> int:
        return len(self.instances) // 2

    def program(self, task: Task, code: str, *, seed: int | None = None) -> Program:
        """Return the program that calls the entry point of `code` once per instance, each time in a new process."""
        call = Instances(task.entry_point, tuple(one.data for one in self.instances), self.size, self.visible)
        limits = Limits(cpu_seconds=self.seconds, wall_seconds=WALL_SECONDS)
        return Program(task.framework, code, call, limits=limits, seed=task.seed if seed is None else seed)

    def judge(self, task: Task, outcome: Outcome) -> Verdict:
        if outcome.status != "returned":
            return replace(not_returned(outcome, task.entry_point), rule=self.rule)
        try:
            seen = observation.cases(outcome.value, len(self.instances))
        except Unreadable as error:
            seen = [{"kind": "other", "problem": error.problem}] * len(self.instances)
        rows = [self._row(number, case) for number, case in enumerate(seen)]
        verdict = self._verdict(rows, seen[: self.visible], task.entry_point)
        return replace(verdict, evidence={**verdict.evidence, "instances": rows}, rule=self.rule)

    def _row(self, number: int, seen: dict[str, Any]) -> dict[str, Any]:
        instance, budget = self.instances[number], self.budgets[number]
        cost, problem = self._cost(instance, seen)
        if cost is not None and cost > budget:
            problem = f"cost {cost} exceeds the budget {budget}"
        cpu = seen.get("cpu")
        return {
            "size": self.size,
            "hidden": number >= self.visible,
            "planted": instance.planted,
            "budget": budget,
            "cost": cost,
            "bound": instance.bound,
            "cpu": cpu if isinstance(cpu, float) else None,
            "problem": problem,
        }

    def _cost(self, instance: Instance, seen: dict[str, Any]) -> tuple[int | None, str | None]:
        if seen.get("kind") == "failed":
            return None, _failed(seen)
        try:
            return self.family.cost(instance.data, self._allowed(observation.circuit(seen))), None
        except Unreadable as error:
            return None, error.problem
        except Incorrect as error:
            return None, f"the circuit {error}"

    def _allowed(self, circuit: Sequence[tuple[str, tuple[int, ...], float | None]]) -> Circuit:
        """Remove gates that have no effect, and return the remaining circuit. Raises `Incorrect` for other forbidden
        gates.
        """
        kept = tuple(step for step in circuit if step[0] not in FREE_GATES - {"measure"})
        if wrong := sorted({name for name, _, _ in kept} - set(self.family.gates)):
            raise Incorrect(f"uses gates that are not allowed: {', '.join(wrong[:5])}")
        if any(len(set(on)) != _QUBITS.get(name, 1) or len(on) != len(set(on)) for name, on, _ in kept):
            raise Incorrect("has a gate with an incorrect number of qubits")
        if any((angle is None) == (name in _ROTATIONS) for name, _, angle in kept):
            raise Incorrect("has a gate with an unknown angle")
        return kept

    def _verdict(self, rows: Sequence[dict[str, Any]], seen: Sequence[dict[str, Any]], entry_point: str) -> Verdict:
        """Return the verdict.

        `seen`: the results for the visible instances; the first failure among them is the evidence.
        """
        if all(row["problem"] is None for row in rows if row["hidden"]):
            return Verdict("pass", {})
        failed = [case for case in seen if case.get("kind") == "failed"]
        for statuses in (("exception", "killed"), tuple(LIMITS)):
            first = next((case for case in failed if case.get("status") in statuses), None)
            if first is not None:
                raised = first.get("exception")
                exception = ExceptionInfo(**raised) if isinstance(raised, dict) else None
                return not_returned(Outcome(first["status"], exception=exception), entry_point)
        unsolved = sum(row["problem"] is not None for row in rows if not row["hidden"])
        if unsolved:
            problem = f"{unsolved} of {self.visible} visible instances are not solved within the budget"
        else:
            problem = "the answer is correct for the visible instances but not for hidden ones"
        return Verdict("wrong_answer", {"cases": [], "problem": problem})


def _failed(seen: dict[str, Any]) -> str:
    status, raised = str(seen.get("status")), seen.get("exception")
    if status == "exception" and isinstance(raised, dict):
        return f"raised {observation.bounded(raised.get('type'), 100)}"
    return LIMITS.get(status) or _OTHER_PROBLEMS.get(status) or "the process terminated before returning a result"
