"""The distribution tasks of the built-in suite require a circuit; counts do not pass, however accurate."""

import pytest

from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.frameworks import USUAL
from repair_bench.suites.aligned import loader
from repair_bench.suites.checks import DistributionCheck
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Verdict

TASKS = [task for task in loader.load().tasks if isinstance(task.check, DistributionCheck)]


def verdict(executor: LocalExecutor, task: Task, code: str) -> Verdict:
    return task.check.judge(task, run_to_end(executor.run(task.check.program(task, code))))


def the_task(number: str, framework: str) -> Task:
    return next(task for task in TASKS if (task.id, task.framework) == (number, framework))


def by_heart(task: Task, shots: int | None) -> str:
    """Return an answer with the correct counts or probabilities of every case, but no circuit."""
    answers = {}
    for case in task.check.cases:
        reverse = task.framework == "qiskit"
        expected = {key[::-1] if reverse else key: p for key, p in case.expected.items()}
        answers[repr(list(case.args))] = (
            expected if shots is None else {k: round(p * shots) for k, p in expected.items()}
        )
    return f"def {task.entry_point}(*args):\n    return {answers!r}[repr(list(args))]\n"


def test_every_prompt_requires_a_circuit_or_the_result_of_a_qnode() -> None:
    assert len(TASKS) == 33
    for task in TASKS:
        wanted = {"qiskit": "QuantumCircuit", "cirq": "cirq.Circuit", "pennylane": "Run a QNode"}[task.framework]
        assert wanted in task.prompt
        assert task.check.circuit


@pytest.mark.slow
@pytest.mark.parametrize("framework", USUAL)
@pytest.mark.parametrize("shots", [100, 10**6, None])
def test_right_numbers_without_a_circuit_do_not_pass(
    executor: LocalExecutor, framework: str, shots: int | None
) -> None:
    task = the_task("18", framework)
    found = verdict(executor, task, by_heart(task, shots))
    assert found.kind == "wrong_answer"
    assert found.evidence["problem"].startswith(
        "no circuit was returned or run: return" if shots is None else "the function returned counts or samples: return"
    )


@pytest.mark.slow
@pytest.mark.parametrize("framework", USUAL)
def test_counts_pass_no_task_and_references_pass_all(executor: LocalExecutor, framework: str) -> None:
    for task in (task for task in TASKS if task.framework == framework):
        assert verdict(executor, task, by_heart(task, 10**6)).kind == "wrong_answer", task.id
        assert verdict(executor, task, task.reference or "").kind == "pass", task.id


@pytest.mark.slow
def test_the_result_of_a_qnode_passes_in_any_plain_form(executor: LocalExecutor) -> None:
    task = the_task("15", "pennylane")
    reference = task.reference or ""
    for form in ("circuit()", "circuit().tolist()", "np.array(circuit())", "{'0': circuit()[0], '1': circuit()[1]}"):
        assert verdict(
            executor, task, "import numpy as np\n" + reference.replace("return circuit()", f"return {form}")
        ).kind == ("pass"), form
    sampled = reference.replace('"default.qubit", wires=2', '"default.qubit", wires=2, shots=100')
    assert sampled != reference
    assert verdict(executor, task, sampled.replace("qml.probs(wires=0)", "qml.counts(wires=0)")).kind == "pass", (
        "counts of a circuit that was run are traced to it and judged exactly"
    )
    counted = sampled.replace("qml.probs(wires=0)", "qml.counts(wires=0)").replace(
        "return circuit()", "return {key: int(count) for key, count in circuit().items()}"
    )
    assert verdict(executor, task, counted).evidence["problem"].startswith("the function returned counts or samples")
