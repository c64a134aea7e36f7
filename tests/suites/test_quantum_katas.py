"""The Quantum Katas as published."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from oracle_answers import RIGHT

from repair_bench import suites
from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.suites.quantum_katas import load
from repair_bench.suites.quantum_katas.errata import ERRATA, TRIVIAL, UNDERSPECIFIED, WEAK, WRONG
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Verdict

FAILING = {
    *("CHSHGame/2.2", "GHZGame/2.2", "GHZGame/2.3", "GraphColoring/9", "GroversAlgorithm/2.2", "MarkingOracles/3"),
    *("KeyDistribution_BB84/3.1", "PhaseEstimation/7", "QEC_BitFlipCode/9", "Superposition/2.3", "Teleportation/1.5"),
    "UnitaryPatterns/13",
}
"""References that fail their own tests with Qiskit 2.6."""

VACUOUS = {
    *("CHSHGame/2.5", "DeutschJozsa/4.1", "KeyDistribution_BB84/3.2", "MagicSquareGame/2.5", "MagicSquareGame/2.6"),
    *("Measurements/2.2", "Teleportation/1.8"),
}
"""Tests that a function which returns None passes."""

REJECTED = {
    **{task: RIGHT[task][0] for task in ("BasicGates/1.7", "CHSHGame/2.4", "Teleportation/1.6")},
    **{task: RIGHT[task][0] for task in ("MagicSquareGame/2.2", "MagicSquareGame/2.3")},
    "Measurements/1.2": RIGHT["Measurements/1.2"][1],
    "GHZGame/2.3": """
from qiskit import QuantumCircuit

def answer(strategies):
    qc = QuantumCircuit(3)
    qc.h([0, 1])
    qc.x([0, 1])
    qc.cz(0, 1)
    qc.cx(0, 2)
    qc.cx(1, 2)
    return [strategy(qc.copy(), player) for player, strategy in enumerate(strategies)]
""",
    "MagicSquareGame/2.6": f"""{RIGHT["MagicSquareGame/2.2"][0]}
get_magic_observables = answer

def alice_quantum(row_index, qs):
    return [1, 1, 1]

def bob_quantum(column_index, qs):
    return [1, 1, -1]
""",
}
"""Right answers that a published test rejects. The answer to MagicSquareGame/2.6 has a right square, which the test
checks."""


@pytest.fixture(scope="module")
def suite(datasets: Path) -> Suite:
    return load(data=datasets / "quantum-katas")


@pytest.fixture
def lines(datasets: Path) -> list[str]:
    return (datasets / "quantum-katas" / "quantum_katas.jsonl").read_text(encoding="utf-8").splitlines()


def test_there_are_350_tasks_in_26_categories(suite: Suite) -> None:
    assert len(suite.tasks) == 350
    categories = Counter(task.category for task in suite.tasks)
    assert len(categories) == 26
    assert (categories["tutorials"], categories["BasicGates"], categories["SuperdenseCoding"]) == (32, 16, 5)


def test_the_suite_is_pinned_to_its_publication(suite: Suite) -> None:
    assert suite.version == "1cfd5f4"
    assert suite.content_hash == "e915f0216e7c936af16645acc3841a2940e8b22ea7fedf3ada8117c857605e74"


def test_a_task_has_the_text_of_the_dataset(suite: Suite, lines: list[str]) -> None:
    task, line = suite.tasks[0], json.loads(lines[0])
    assert task.id == line["task_id"] == "BasicGates/1.1"
    assert (task.prompt, task.reference) == (line["prompt"], line["canonical_solution"])
    assert task.title == "State flip: |0⟩ to |1⟩ and vice versa"
    assert (task.framework, task.difficulty, task.starter) == ("qiskit", None, "")


def test_no_task_is_excluded_with_qiskit_and_aer_installed(suite: Suite) -> None:
    assert [task.id for task in suite.tasks if task.excluded] == []


def test_each_test_is_the_one_named_after_the_entry_point(suite: Suite) -> None:
    assert all(task.check.function == f"test_{task.entry_point}" for task in suite.tasks)


def test_the_errata_cover_the_known_errors(suite: Suite) -> None:
    flawed = {task.id: task.errata for task in suite.tasks if task.errata}
    assert flawed == ERRATA
    assert FAILING | VACUOUS | set(REJECTED) | {"SolveSATWithGrover/3.2"} == set(ERRATA)
    assert {task.id for task in suite.tasks if task.wrong} == WRONG
    assert {task.id: task.weak for task in suite.tasks if task.weak} == WEAK
    assert {task.id: task.trivial for task in suite.tasks if task.trivial} == TRIVIAL
    assert TRIVIAL.keys().isdisjoint(WEAK)
    assert {task.id for task in suite.tasks if "nothing" in task.weak} == VACUOUS
    assert {task.id: task.underspecified for task in suite.tasks if task.underspecified} == UNDERSPECIFIED


@pytest.mark.slow
def test_it_is_loaded_by_name_from_a_folder_or_the_file_itself(datasets: Path) -> None:
    by_folder, by_file = (
        run_to_end(suites.load("quantum-katas", data=data))
        for data in (datasets / "quantum-katas", datasets / "quantum-katas" / "quantum_katas.jsonl")
    )
    assert by_folder.content_hash == by_file.content_hash


@pytest.mark.slow
def test_it_is_loaded_from_the_cache_that_fetch_fills(
    datasets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(UsageError, match=r"`repair-bench suites fetch quantum-katas`, .* --data DIR"):
        load(data=None)
    cached = tmp_path / "repair-bench" / "datasets" / "quantum-katas" / "1cfd5f4"
    cached.mkdir(parents=True)
    (cached / "quantum_katas.jsonl").symlink_to(datasets / "quantum-katas" / "quantum_katas.jsonl")
    assert len(load(data=None).tasks) == 350


def test_there_are_no_tasks_in_other_frameworks(datasets: Path) -> None:
    with pytest.raises(UsageError, match="no tasks in cirq, only in qiskit"):
        load(data=datasets / "quantum-katas", frameworks=["cirq"])


Change = Callable[[dict[str, Any]], Any]


@pytest.fixture
def complaint(tmp_path: Path) -> Callable[[str], str]:
    """Return a function from a file's content to the error, without the path."""

    def complaint(content: str) -> str:
        path = tmp_path / "quantum_katas.jsonl"
        path.write_text(content, encoding="utf-8")
        with pytest.raises(UsageError) as error:
            load(data=tmp_path)
        assert "\n" not in str(error.value)
        assert str(error.value).startswith(str(path))
        return str(error.value).removeprefix(str(path))

    return complaint


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda line: {**line, "task_id": 4}, "task_id: Input should be a valid string"),
        (lambda line: {**line, "task_id": ""}, "task_id: "),
        (lambda line: {**line, "prompt": None}, "prompt: Input should be a valid string"),
        (lambda line: {**line, "entry_point": "not a name"}, "entry_point: "),
        (lambda line: {**line, "difficulty": "easy"}, "difficulty: Extra inputs are not permitted"),
        (lambda line: {k: v for k, v in line.items() if k != "test"}, "test: Field required"),
        (lambda line: {**line, "test": "def test_it(:"}, "test: Value error, is not Python: "),
        (lambda line: {**line, "test": "x = '\0'"}, "test: Value error, is not Python: "),
        (lambda line: {**line, "test": "assert True"}, "the test does not define the function test_bell_state"),
        (lambda line: [line], "Input should be a valid dictionary"),
    ],
)
def test_a_wrong_field_names_file_line_and_field(
    complaint: Callable[[str], str], lines: list[str], change: Change, message: str
) -> None:
    lines[1] = json.dumps(change(json.loads(lines[1])))
    assert complaint("\n".join(lines)).startswith(f", line 2: {message}")


def test_missing_tasks_are_counted(complaint: Callable[[str], str], lines: list[str]) -> None:
    assert complaint("\n".join(lines[:100]) + "\n").startswith(": 250 of 350 tasks are missing")


@pytest.mark.slow
def test_the_version_marks_a_changed_file(tmp_path: Path, lines: list[str]) -> None:
    changed = {**json.loads(lines[0]), "prompt": "Something else"}
    (tmp_path / "quantum_katas.jsonl").write_text("\n".join([json.dumps(changed), *lines[1:]]))
    suite = load(data=tmp_path)
    assert suite.version == f"unpublished-{suite.content_hash[:7]}"


def find(suite: Suite, task_id: str) -> Task:
    return next(task for task in suite.tasks if task.id == task_id)


def graded(executor: LocalExecutor, task: Task, code: str) -> Verdict:
    return task.check.judge(task, run_to_end(executor.run(task.check.program(task, code))))


@pytest.mark.slow
@pytest.mark.parametrize("task_id", ["BasicGates/1.1", "TruthTables/10", "DeutschJozsa/Algorithm"])
def test_references_pass_and_functions_that_do_nothing_fail(
    executor: LocalExecutor, suite: Suite, task_id: str
) -> None:
    task = find(suite, task_id)
    assert task.reference is not None
    assert graded(executor, task, task.reference).kind == "pass"
    nothing = f"def {task.entry_point}(*args, **more):\n    return None\n"
    assert graded(executor, task, nothing).kind == "wrong_answer"


@pytest.mark.slow
@pytest.mark.parametrize("task_id", REJECTED)
def test_wrong_tests_reject_a_right_answer_as_the_errata_state(
    executor: LocalExecutor, suite: Suite, task_id: str
) -> None:
    task = find(suite, task_id)
    named = "" if f"def {task.entry_point}" in REJECTED[task_id] else f"{task.entry_point} = answer\n"
    verdict = graded(executor, task, f"{REJECTED[task_id]}\n{named}")
    assert verdict.kind == "wrong_answer"
    if task_id not in {"GHZGame/2.3", "Teleportation/1.6"}:  # by the name of the error
        assert verdict.evidence["assertion"].split(":")[0] in ERRATA[task_id]


@pytest.mark.slow
@pytest.mark.parametrize("task_id", sorted(VACUOUS))
def test_the_vacuous_tests_pass_a_function_that_does_nothing(
    executor: LocalExecutor, suite: Suite, task_id: str
) -> None:
    task = find(suite, task_id)
    code = f"{task.reference}\ndef {task.entry_point}(*args, **more):\n    return None\n"
    assert graded(executor, task, code).kind == "pass"
