"""Qiskit HumanEval as published, the plain set and the hard one."""

import json
from collections import Counter
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from sampled import LONG, sampled

from repair_bench import suites
from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.grading.audit.validate import validate
from repair_bench.prompts.extraction.extract import extract
from repair_bench.suites.qiskit_humaneval.errata import ERRATA, UNDERSPECIFIED, WEAK
from repair_bench.suites.qiskit_humaneval.loader import NEVER
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Verdict

PLAIN, HARD = "qiskit-humaneval", "qiskit-humaneval-hard"
FILES = {PLAIN: "dataset_qiskit_test_human_eval.json", HARD: "dataset_qiskit_test_human_eval_hard.json"}

EXTRA = all(map(find_spec, ["qiskit_ibm_runtime", "qiskit_qasm3_import", "pylatexenc"]))


def load(name: str, data: Path) -> Suite:
    return run_to_end(suites.load(name, data=data))


@pytest.fixture(params=[PLAIN, HARD])
def suite(datasets: Path, request: pytest.FixtureRequest) -> Suite:
    return load(request.param, datasets / "qiskit-humaneval")


def find(suite: Suite, number: int) -> Task:
    return next(task for task in suite.tasks if task.id == f"qiskitHumanEval/{number}")


def graded(executor: LocalExecutor, task: Task, code: str) -> Verdict:
    return task.check.judge(task, run_to_end(executor.run(task.check.program(task, code))))


def test_there_are_151_tasks_in_three_difficulties(suite: Suite) -> None:
    assert [task.id for task in suite.tasks] == [f"qiskitHumanEval/{number}" for number in range(151)]
    difficulties = Counter(task.difficulty for task in suite.tasks)
    assert difficulties == {"basic": 79, "intermediate": 67, "difficult": 5}
    assert suite.version == "5327d8e"
    assert {task.id: task.underspecified for task in suite.tasks if task.underspecified} == UNDERSPECIFIED
    assert {task.id: task.weak for task in suite.tasks if task.weak} == WEAK


def test_tasks_that_need_an_account_or_a_program_are_excluded(suite: Suite) -> None:
    excluded = {task.id: task.excluded for task in suite.tasks if task.excluded}
    assert NEVER.items() <= excluded.items()
    assert "account and network access" in excluded["qiskitHumanEval/43"]
    assert "Graphviz" in excluded["qiskitHumanEval/29"]
    assert "qiskitHumanEval/46" not in excluded


def test_no_task_is_excluded_with_the_optional_packages(suite: Suite) -> None:
    if not EXTRA:
        pytest.skip("the extra qiskit-humaneval is not installed")
    assert {task.id for task in suite.tasks if task.excluded} == {*NEVER}


@pytest.mark.slow
def test_in_the_plain_set_the_prompt_is_code_that_a_body_completes(datasets: Path) -> None:
    suite = load(PLAIN, datasets / "qiskit-humaneval")
    entries = json.loads((datasets / "qiskit-humaneval" / FILES[PLAIN]).read_text(encoding="utf-8"))
    for task, entry in zip(suite.tasks, entries, strict=True):
        moved = entry["prompt"].replace("linear.linear_matrix_utils", "linear")
        assert task.prompt == task.starter == (moved if task.id == "qiskitHumanEval/46" else entry["prompt"])
        assert task.reference == task.prompt + entry["canonical_solution"]
        body = entry["canonical_solution"]
        compile(task.check.program(task, body).source, task.id, "exec")
        if task.excluded is None:
            compile(extract(body, entry_point=task.entry_point, starter=task.starter).code or "", task.id, "exec")


def test_in_the_hard_set_the_prompt_is_words_and_the_test_runs_itself(datasets: Path) -> None:
    suite = load(HARD, datasets / "qiskit-humaneval")
    for task in suite.tasks:
        assert "You must implement this using a function named" in task.prompt
        assert task.starter == ""
        assert task.check.test.rstrip().endswith(f"check({task.entry_point})")
        assert task.check.function is None


def test_a_body_a_function_and_a_whole_program_pass_the_plain_test(executor: LocalExecutor, datasets: Path) -> None:
    task = find(load(PLAIN, datasets / "qiskit-humaneval"), 0)
    body = "    return QuantumCircuit(n_qubits)\n"
    function = f"def create_quantum_circuit(n_qubits):\n{body}"
    program = "import qiskit as q\ndef create_quantum_circuit(n):\n    return q.QuantumCircuit(n)\n"
    for code in (body, function, program, task.prompt + "\n" + body):
        assert graded(executor, task, code).kind == "pass"


def test_the_prompt_itself_fails(executor: LocalExecutor, datasets: Path) -> None:
    task = find(load(PLAIN, datasets / "qiskit-humaneval"), 0)
    assert graded(executor, task, task.prompt).kind == "wrong_answer"
    assert graded(executor, task, "import qiskit").kind == "no_code"


def test_the_hard_test_calls_itself(executor: LocalExecutor, datasets: Path) -> None:
    task = find(load(HARD, datasets / "qiskit-humaneval"), 0)
    assert task.reference is not None
    assert graded(executor, task, task.reference).kind == "pass"
    wrong = task.reference.replace("(n_qubits)\n", "(n_qubits + 1)\n").replace("(n_qubits + 1):", "(n_qubits):")
    assert graded(executor, task, wrong).kind == "wrong_answer"


def test_a_slow_reference_is_given_the_time_it_needs(suite: Suite) -> None:
    limits = find(suite, 100).check.limits
    assert (limits.cpu_seconds, limits.wall_seconds) == (180, 900)
    assert find(suite, 0).check.limits.cpu_seconds == 30


@pytest.mark.parametrize("name", [PLAIN, HARD])
def test_malformed_files_name_file_and_line(datasets: Path, tmp_path: Path, name: str) -> None:
    official = (datasets / "qiskit-humaneval" / FILES[name]).read_text(encoding="utf-8")
    lines = official.split("\n")
    entries = json.loads(official)
    path = tmp_path / FILES[name]

    def complaint(content: str) -> str:
        path.write_text(content, encoding="utf-8")
        with pytest.raises(UsageError) as error:
            load(name, tmp_path)
        assert "\n" not in str(error.value)
        assert str(error.value).startswith(str(path))
        return str(error.value).removeprefix(str(path))

    assert complaint("\n".join(lines[:100])).startswith((", line 99: ", ", line 100: "))
    assert complaint(official[:5000]).startswith(f", line {official[:5000].count(chr(10)) + 1}: is not JSON")
    assert complaint(official.rstrip()[:-1]).startswith(", line ")
    assert complaint(official.replace('"basic"', '"easy"', 1)).startswith(", item 1: difficulty_scale: ")
    assert complaint(official.replace('"entry_point"', '"entry"', 1)).startswith(", item 1: ")
    assert complaint(official.replace('qiskitHumanEval/1"', 'qiskitHumanEval/0"')).startswith(
        ", item 2: task_id: qiskitHumanEval/0 occurs twice"
    )
    assert complaint(json.dumps(entries[:-1])).startswith(": 1 of 151 tasks are missing")
    assert complaint(json.dumps([{**entries[0], "prompt": 3}])) == ", item 1: prompt: Input should be a valid string"
    assert complaint(json.dumps([{**entries[0], "test": "pass"}])).startswith(", item 1: test: ")
    assert complaint(json.dumps([{**entries[0], "test": "def check(:"}])).startswith(", item 1: test: Value error")
    assert complaint("{}").startswith(", line 1: task_id: Field required")
    assert complaint("[]").startswith(": 151 of 151 tasks are missing")


def test_a_moved_module_is_imported_from_its_new_place(executor: LocalExecutor, suite: Suite) -> None:
    task = find(suite, 46)
    assert task.excluded is None
    assert "linear_matrix_utils" not in f"{task.prompt}{task.starter}{task.reference}{task.check.test}"
    assert "linear_matrix_utils" in str(task.errata)
    assert task.reference is not None
    assert graded(executor, task, task.reference).kind == "pass"


def test_where_the_old_module_is_installed_the_task_is_as_published(datasets: Path, tmp_path: Path) -> None:
    package = tmp_path / "qiskit" / "synthesis" / "linear"
    package.mkdir(parents=True)
    for folder in (package, package.parent, package.parent.parent):
        (folder / "__init__.py").touch()
    (package / "linear_matrix_utils.py").touch()
    old = run_to_end(suites.load(PLAIN, data=datasets / "qiskit-humaneval", import_path=lambda _: [str(tmp_path)]))
    assert "linear_matrix_utils" in find(old, 46).prompt


@pytest.mark.slow
def test_a_rounding_error_rejects_a_right_answer(executor: LocalExecutor, suite: Suite) -> None:
    task = find(suite, 144)
    assert task.wrong
    products = """
from qiskit.quantum_info import DensityMatrix, random_statevector

def concurrence_dataset():
    return [DensityMatrix(random_statevector(2).tensor(random_statevector(2))) for _ in range(10)]
"""
    assert graded(executor, task, products).evidence["assertion"].startswith("AssertionError: The concurrence")


@pytest.mark.slow
@pytest.mark.parametrize("suite", [PLAIN], indirect=True)
def test_every_reference_is_accounted_for(executor: LocalExecutor, suite: Suite) -> None:
    """Validate half of the references. `test_canonicals` grades some of the others, which the hard set shares."""
    if not EXTRA:
        pytest.skip("the extra qiskit-humaneval is not installed")
    some = tuple(task for task in sampled(suite.tasks, 2) if task.id not in LONG)
    rows = run_to_end(validate(replace(suite, tasks=some), executor))
    results = Counter(row["result"] for row in rows)
    assert {row["id"] for row in rows if row["result"] == "fails"} <= set(ERRATA)
    assert results["fault"] == results["no reference"] == 0
    assert results["pass"] + results["fails"] + results["excluded"] == len(some) > 70
