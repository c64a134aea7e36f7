"""A new kind of check in one file, with a task that it judges in the real loop."""

from dataclasses import dataclass, replace
from pathlib import Path

from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Call, Program
from repair_bench.prompts.condition import Condition
from repair_bench.suites.checks.judge import not_returned
from repair_bench.suites.task import Task
from repair_bench.testing import ScriptedModel, drive
from repair_bench.traces.record.records import Outcome, Verdict


@dataclass(frozen=True)
class GateCountCheck:
    """Accepts any circuit up to a number of gates."""

    most: int
    rule: str = "at most so many gates"

    def program(self, task: Task, code: str, *, seed: int | None = None) -> Program:
        call = Call(task.entry_point, "state")
        return Program(task.framework, code, call, seed=task.seed if seed is None else seed)

    def judge(self, task: Task, outcome: Outcome) -> Verdict:
        if outcome.status != "returned":
            return replace(not_returned(outcome, task.entry_point), rule=self.rule)
        (case,) = outcome.value["cases"]
        used = sum(case["gates"].values())
        if used <= self.most:
            return Verdict("pass", rule=self.rule)
        return Verdict("wrong_answer", {"problem": f"{used} gates, at most {self.most} may be used"}, rule=self.rule)


TASK = Task(
    suite="toy",
    id="short",
    framework="qiskit",
    entry_point="answer",
    prompt="Write answer(), which returns a circuit of one qubit with at most one gate.",
    starter="from qiskit import QuantumCircuit\n\ndef answer():\n",
    check=GateCountCheck(1),
    category="toy",
)


def written(*gates: str) -> str:
    lines = ["from qiskit import QuantumCircuit", "", "def answer():", "    circuit = QuantumCircuit(1)"]
    return "\n".join(["```python", *lines, *(f"    circuit.{gate}(0)" for gate in gates), "    return circuit", "```"])


def test_a_new_kind_of_check_judges_tells_and_accepts(tmp_path: Path, executor: LocalExecutor) -> None:
    model = ScriptedModel([written("h", "x", "h"), "```python\ndef answer():\n    return gone\n```", written("z")])
    episode = PlannedEpisode(model.name, TASK, "1", Condition(), 0)
    result, attempts, _ = drive(tmp_path, [episode], [model], executor=executor)
    assert not result.faults
    assert [(a.attempt, a.verdict.kind, a.verdict.rule) for a in attempts] == [
        (0, "wrong_answer", TASK.check.rule),
        (1, "exception", TASK.check.rule),
        (2, "pass", TASK.check.rule),
    ]
    assert "3 gates, at most 1 may be used" in attempts[1].feedback.text
    assert "NameError" in attempts[2].feedback.text
