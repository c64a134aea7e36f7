"""QuanBench+ from its official files, judged by exact arithmetic."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from judging import distribution, returned

from repair_bench import suites
from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Program
from repair_bench.grading.audit.validate import validate
from repair_bench.grading.judge import verdict_on
from repair_bench.suites.checks import DistributionCheck
from repair_bench.suites.quanbench_plus import loader, resolve
from repair_bench.suites.quanbench_plus.errata import ERRATA
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import ExecutorError, SuiteError
from repair_bench.traces.record.records import ExceptionInfo, Outcome

ANSWERS = sorted((Path(__file__).parent / "natural_answers").glob("*.py"))
WRONG = {"10", "25", "26", "28", "29", "31", "36", "43"}


@pytest.fixture(scope="module")
def data(datasets: Path) -> Path:
    return datasets / "quanbench-plus"


@pytest.fixture(scope="module")
def suite(data: Path, executor: LocalExecutor) -> Suite:
    return run_to_end(suites.load("quanbench-plus", data=data, run=executor.run))


def the_task(suite: Suite, task_id: str, framework: str) -> Task:
    return next(task for task in suite.tasks if (task.id, task.framework) == (task_id, framework))


def kind(suite: Suite, task_id: str, framework: str, probabilities: dict[str, float]) -> str:
    task = the_task(suite, task_id, framework)
    return task.check.judge(task, returned(distribution(probabilities, gates={}))).kind


def test_the_official_files_are_42_problems_in_three_frameworks(data: Path) -> None:
    suite = loader.load(data=data)
    assert (suite.version, len(suite.tasks)) == ("2dfd1a8", 126)
    assert [(t.id, t.framework) for t in suite.tasks[:4]] == [
        ("01", "qiskit"), ("01", "pennylane"), ("01", "cirq"), ("02", "qiskit")
    ]  # fmt: skip
    count = {c: sum(t.category == c for t in suite.tasks) for c in {t.category for t in suite.tasks}}
    assert count == {"algorithm": 93, "state_preparation": 18, "decomposition": 15}


def test_prompts_are_those_of_the_dataset(data: Path) -> None:
    for framework in ("qiskit", "cirq", "pennylane"):
        lines = (data / f"{framework}.jsonl").read_text(encoding="utf-8").splitlines()
        published = {line["task_id"]: line["complete_prompt"] for line in map(json.loads, lines)}
        tasks = loader.load(data=data, frameworks=[framework]).tasks
        assert {task.id: task.prompt for task in tasks} == published


def test_only_qiskit_has_references(data: Path) -> None:
    for task in loader.load(data=data).tasks:
        assert (task.reference is not None) == (task.framework == "qiskit")


def test_starters_are_the_code_of_the_prompts(data: Path) -> None:
    for task in loader.load(data=data).tasks:
        assert task.starter.startswith(("import ", "from "))
        assert f"def {task.entry_point}" in task.starter
        compile(task.starter, task.id, "exec")


def test_errata_cover_all_problems_and_mark_wrong_references(data: Path) -> None:
    tasks = loader.load(data=data).tasks
    assert {task.id for task in tasks} == set(ERRATA)
    assert {task.id for task in tasks if task.wrong} == WRONG


@pytest.mark.slow
def test_every_reference_passes_but_that_of_03(suite: Suite, executor: LocalExecutor) -> None:
    qiskit = replace(suite, tasks=tuple(task for task in suite.tasks if task.framework == "qiskit"))
    rows = run_to_end(validate(qiskit, executor))
    assert len(rows) == 42
    assert {row["id"]: row["result"] for row in rows if row["result"] != "pass"} == {"03": "fails"}
    assert not [task.id for task in suite.tasks if task.excluded]


@pytest.mark.slow
def test_expected_answers_agree_with_the_stored_draws(suite: Suite, data: Path) -> None:
    stored = {
        one["task_id"]: one["canonical_output"] for one in json.loads((data / "canonical_solutions.json").read_text())
    }
    for task_id, output in stored.items():
        bits = len(output).bit_length() - 1
        sample = {format(i, f"0{bits}b"): p for i, p in enumerate(output) if p}
        task = the_task(suite, task_id, "qiskit")
        check = replace(task.check, circuit=False)
        assert check.judge(task, returned(distribution(sample, shots=1000))).kind == "pass", task_id


def test_a_problem_of_separate_qubits_is_read_qubit_by_qubit(suite: Suite) -> None:
    for framework, own, other in [("qiskit", "110", "011"), ("cirq", "011", "110"), ("pennylane", "011", "110")]:
        assert kind(suite, "20", framework, {own: 1.0}) == "pass"
        assert kind(suite, "20", framework, {other: 1.0}) == "wrong_answer"


def test_a_ket_is_read_as_it_is_printed(suite: Suite) -> None:
    for framework in ("qiskit", "cirq", "pennylane"):
        assert kind(suite, "02", framework, {"011": 0.5, "100": 0.5}) == "pass"
        assert kind(suite, "02", framework, {"110": 0.5, "001": 0.5}) == "wrong_answer"
        assert kind(suite, "19", framework, {"00110": 0.5, "00101": 0.5}) == "pass"


def test_a_number_may_start_at_either_end_outside_of_qiskit(suite: Suite) -> None:
    phase_one_half, reversed_phase = {"000": 0.5, "100": 0.5}, {"000": 0.5, "001": 0.5}
    for framework in ("cirq", "pennylane"):
        assert kind(suite, "09", framework, phase_one_half) == "pass"
        assert kind(suite, "09", framework, reversed_phase) == "pass"
    assert kind(suite, "09", "qiskit", phase_one_half) == "pass"
    assert kind(suite, "09", "qiskit", reversed_phase) == "wrong_answer"


def test_hhl_is_accepted_with_the_ancilla_and_without(suite: Suite) -> None:
    check = the_task(suite, "10", "qiskit").check
    assert isinstance(check, DistributionCheck)
    (case,) = check.cases
    assert [len(next(iter(answer))) for answer in (case.expected, *case.also)] == [2, 3]


def test_a_suite_that_was_not_resolved_cannot_judge(data: Path) -> None:
    task = the_task(loader.load(data=data), "01", "cirq")
    with pytest.raises(SuiteError, match="quanbench-plus/01: the expected answer has not been computed"):
        task.check.judge(task, returned(distribution({"00": 1.0})))


def test_the_released_rule_uses_qiskits_order_without_resolving(data: Path) -> None:
    suite = loader.load(data=data, rule="released")
    assert run_to_end(resolve(suite, refuse)).tasks == suite.tasks
    for framework in ("qiskit", "cirq", "pennylane"):
        assert kind(suite, "20", framework, {"110": 1.0}) == "pass"
        assert kind(suite, "20", framework, {"011": 1.0}) == "wrong_answer"


@pytest.mark.parametrize(("task_id", "published"), [("08", 0.06), ("04", 0.5), ("10", 0.9)])
def test_the_released_rule_reproduces_its_shot_noise(suite: Suite, data: Path, task_id: str, published: float) -> None:
    check = the_task(suite, task_id, "qiskit").check
    assert isinstance(check, DistributionCheck)
    right = {key[::-1]: p for key, p in check.cases[0].expected.items()}
    task = the_task(loader.load(data=data, rule="released"), task_id, "qiskit")
    assert isinstance(task.check, DistributionCheck)
    draws = [verdict_on(task, returned(distribution(right)), draw=str(n)).kind for n in range(150)]
    assert draws.count("pass") / len(draws) == pytest.approx(published, abs=0.08)


def test_an_empty_circuit_passes_9_problems_by_the_released_rule(data: Path) -> None:
    suite = loader.load(data=data, frameworks=["qiskit"], rule="released")
    passed = []
    for task in suite.tasks:
        assert isinstance(task.check, DistributionCheck)
        zeros = "0" * len(next(iter(task.check.cases[0].expected)))
        if task.check.judge(task, returned(distribution({zeros: 1.0}))).kind == "pass":
            passed.append(task.id)
    assert passed == ["01", "12", "21", "27", "28", "30", "35", "37", "44"]


async def refuse(program: Program) -> Outcome:
    raise ExecutorError(f"nothing was to be run, but {program.call.entry_point} was")


def test_a_failing_reference_excludes_its_problem(data: Path) -> None:
    async def broken(program: Program) -> Outcome:
        if program.call.entry_point == "Bell_State":
            return Outcome("exception", exception=ExceptionInfo("AttributeError", "no attribute 'cx'", ""))
        return returned(distribution({"0": 1.0}))

    suite = run_to_end(resolve(loader.load(data=data), broken))
    excluded = {(task.id, task.framework): task.excluded for task in suite.tasks if task.excluded}
    assert set(excluded) == {("16", "qiskit"), ("16", "pennylane"), ("16", "cirq")}
    assert "AttributeError: no attribute 'cx'" in str(excluded["16", "cirq"])


def test_an_infrastructure_error_while_resolving_is_raised(data: Path) -> None:
    with pytest.raises(ExecutorError):
        run_to_end(resolve(loader.load(data=data), refuse))


def test_each_reference_is_run_once_in_qiskits_interpreter(data: Path) -> None:
    programs = []

    async def run(program: Program) -> Outcome:
        programs.append(program)
        return returned(distribution({"0": 1.0}))

    run_to_end(resolve(loader.load(data=data, frameworks=["cirq", "pennylane"]), run))
    assert len(programs) == 41
    assert {program.framework for program in programs} == {"qiskit"}


@pytest.mark.slow
@pytest.mark.parametrize("path", ANSWERS, ids=[path.stem for path in ANSWERS])
def test_natural_correct_answers_pass(suite: Suite, executor: LocalExecutor, path: Path) -> None:
    framework, task_id = path.stem.split("_")[:2]
    task = the_task(suite, task_id, framework)
    outcome = run_to_end(executor.run(task.check.program(task, path.read_text(), seed=1)))
    verdict = task.check.judge(task, outcome)
    assert verdict.kind == "pass", verdict.evidence
