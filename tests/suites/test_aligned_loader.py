"""The loader of the built-in suite, on complete and incomplete folders."""

import ast
import dataclasses
import shutil
from collections import Counter
from pathlib import Path

import pytest

from repair_bench.frameworks import FRAMEWORKS, USUAL
from repair_bench.suites.aligned import loader
from repair_bench.suites.checks import DistributionCheck, UnitaryCheck
from repair_bench.suites.task import Suite
from repair_bench.traces.faults import SuiteError

TOML = '''
title = "A coin"
entry_point = "coin"
parameters = "sides: int"
category = "algorithm"
difficulty = "introductory"
concepts = ["superposition"]
statement = """
Toss |0>.
"""
errata = ""

[check]
kind = "distribution"
measured = "qubit 0"
bits = 1

[[case]]
args = [2]
'''
EXPECTED = """
def hidden_cases():
    return [[1], [2]]


def expected(sides):
    return {"0": 1 / sides, "1": 1 - 1 / sides}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a suite with one small problem."""
    problem = tmp_path / "01_coin"
    problem.mkdir()
    (problem / "task.toml").write_text(TOML)
    (problem / "expected.py").write_text(EXPECTED)
    for framework in USUAL:
        (problem / f"solution_{framework}.py").write_text(f"# {framework}\n")
    return tmp_path


def test_a_problem_has_three_tasks_with_separate_references(folder: Path) -> None:
    tasks = loader.load(folder=folder).tasks
    assert [(task.id, task.framework) for task in tasks] == [("01", framework) for framework in USUAL]
    assert [task.reference for task in tasks] == [f"# {framework}\n" for framework in USUAL]
    assert all(task.concepts == ("superposition",) and task.errata is None for task in tasks)


def test_visible_and_hidden_cases_have_answers(folder: Path) -> None:
    check = loader.load(folder=folder).tasks[0].check
    assert isinstance(check, DistributionCheck)
    assert [(case.args, case.hidden) for case in check.cases] == [((2,), False), ((1,), True), ((2,), True)]
    assert [case.expected for case in check.cases] == [{"0": 0.5, "1": 0.5}, {"0": 1.0}, {"0": 0.5, "1": 0.5}]


def test_a_framework_without_solutions_is_empty(folder: Path) -> None:
    (folder / "01_coin" / "solution_cirq.py").unlink()
    assert [task.framework for task in loader.load(folder=folder).tasks] == ["qiskit", "pennylane"]


def test_frameworks_can_be_chosen(folder: Path) -> None:
    assert [task.framework for task in loader.load(frameworks=["cirq"], folder=folder).tasks] == ["cirq"]


def test_hidden_arguments_are_not_in_the_prompt(folder: Path) -> None:
    path = folder / "01_coin" / "task.toml"
    path.write_text(path.read_text() + "\n[[case]]\nargs = [77]\nhidden = true\n")
    prompt = loader.load(folder=folder).tasks[0].prompt
    assert "coin(2)" in prompt
    assert "77" not in prompt


def test_a_comment_does_not_change_the_content_hash(folder: Path) -> None:
    before = loader.load(folder=folder)
    for path in sorted((folder / "01_coin").iterdir()):
        path.write_text(path.read_text() + "\n# more\n")
    after = loader.load(folder=folder)
    assert after.tasks[0].reference != before.tasks[0].reference
    assert after.content_hash == before.content_hash
    assert loader.load(folder=folder, frameworks=["cirq"], rule="paper").content_hash == before.content_hash


@pytest.mark.parametrize(("name", "old", "new"), [
    ("task.toml", "Toss |0>.", "Toss |0> once."),
    ("task.toml", '"A coin"', '"A die"'),  # the starter code contains the title
    ("task.toml", "args = [2]", "args = [3]"),
    ("task.toml", "args = [2]", "args = [2]\nhidden = true"),
    ("task.toml", "bits = 1", 'bits = 1\ngates = ["h"]'),
    ("task.toml", "[[case]]", '[inputs]\nqiskit = "a = 1"\ncirq = ""\npennylane = ""\n\n[[case]]'),
    ("expected.py", "[1], [2]", "[1], [4]"),
    ("expected.py", "def expected(sides):", "def expected(sides):\n    sides += 1e-5"),
])  # fmt: skip
def test_prompts_and_answers_change_the_hash(folder: Path, name: str, old: str, new: str) -> None:
    before = loader.load(folder=folder).content_hash
    path = folder / "01_coin" / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert loader.load(folder=folder).content_hash != before


def test_a_frameworks_return_instructions_change_the_hash(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = loader.load(folder=folder)
    said = dataclasses.replace(FRAMEWORKS["cirq"], returned={"distribution": "Sing {{ measured }}."})
    monkeypatch.setitem(FRAMEWORKS, "cirq", said)
    after = loader.load(folder=folder)
    assert before.content_hash != after.content_hash
    assert [task.framework for task in after.tasks if "\nSing " in task.prompt] == ["cirq"]
    monkeypatch.setitem(FRAMEWORKS, "cirq", dataclasses.replace(said, returned={}))
    with pytest.raises(SuiteError, match="Cirq has no instruction to return a distribution"):
        loader.load(folder=folder)


@pytest.mark.parametrize("name", ["task.toml", "expected.py", *(f"solution_{f}.py" for f in USUAL)])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    shutil.copytree(folder / "01_coin", folder / "02_coin")
    (folder / "01_coin" / name).unlink()
    with pytest.raises(SuiteError, match=rf"01_coin/{name}: "):
        loader.load(folder=folder)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "A coin"', "", "task.toml: title: Field required"),
        ('title = "A coin"', "title = 3", "task.toml: title: "),
        ('title = "A coin"', "title = ", "task.toml: Invalid value"),
        ('category = "algorithm"', 'category = "magic"', "task.toml: category: "),
        ('concepts = ["superposition"]', "concepts = []", "task.toml: concepts: "),
        ("bits = 1", "", "task.toml: a distribution check requires check.bits"),
        ("bits = 1", "bits = 2", "expected.py: expected: the answer has an outcome that is not a string of 2 bits"),
        ('kind = "distribution"', 'kind = "state"', "task.toml: a state check requires check.qubits"),
        ("args = [2]", "args = [0]", "expected.py: expected: ZeroDivisionError"),
        ("args = [2]", "args = [2]\nhiden = true", "task.toml: case.0.hiden: Extra inputs"),
        ("args = [2]", 'args = [2]\n[inputs]\ncirq = "x"', "task.toml: inputs must contain all or none of qiskit,"),
    ],
)
def test_a_wrong_field_is_named_with_its_file(folder: Path, old: str, new: str, message: str) -> None:
    path = folder / "01_coin" / "task.toml"
    assert old in TOML
    path.write_text(TOML.replace(old, new))
    with pytest.raises(SuiteError) as error:
        loader.load(folder=folder)
    assert f"01_coin/{message}" in str(error.value)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def expected(:", "does not run: SyntaxError"),
        ("import nowhere", "does not run: ModuleNotFoundError"),
        ("", "the file does not define the function `expected`"),
        ("def expected(sides):\n    return {'0': 0.9}", "expected: the probabilities do not sum to 1"),
        ("def expected(sides):\n    return None", "expected: the answer is neither a dict nor 2 probabilities"),
        ("def expected():\n    return {'0': 1}", "expected: TypeError"),
        ("expected = dict\ndef hidden_cases():\n    return [[{1}]]", "hidden_cases does not return a list of lists"),
    ],
)
def test_a_broken_answer_is_named(folder: Path, source: str, message: str) -> None:
    (folder / "01_coin" / "expected.py").write_text(source)
    with pytest.raises(SuiteError) as error:
        loader.load(folder=folder)
    assert f"01_coin/expected.py: {message}" in str(error.value)


def test_a_folder_without_a_number_is_named(folder: Path) -> None:
    shutil.copytree(folder / "01_coin", folder / "coin")
    with pytest.raises(SuiteError, match=r"coin: the name of a task folder must have the form <two digits>_<slug>"):
        loader.load(folder=folder)


def test_the_suite_has_42_problems_in_three_frameworks_in_order(suite: Suite) -> None:
    assert (suite.name, suite.version, len(suite.tasks)) == ("aligned", "1", 126)
    assert len({task.id for task in suite.tasks}) == 42
    order = list(FRAMEWORKS)
    assert [(t.id, order.index(t.framework)) for t in suite.tasks] == sorted(
        (t.id, order.index(t.framework)) for t in suite.tasks
    )


def test_categories_are_those_of_quanbench_plus(suite: Suite) -> None:
    count = Counter(task.category for task in suite.tasks)
    assert count == {"algorithm": 3 * 31, "state_preparation": 3 * 6, "decomposition": 3 * 5}


def test_every_starter_is_a_function_with_the_entry_points_name(suite: Suite) -> None:
    for task in suite.tasks:
        names = [node.name for node in ast.parse(task.starter).body if isinstance(node, ast.FunctionDef)]
        assert names == [task.entry_point]


def test_every_prompt_has_its_frameworks_return_instructions(suite: Suite) -> None:
    for task in suite.tasks:
        words = {"qiskit": "QuantumCircuit", "cirq": "cirq.Circuit", "pennylane": "wire"}[task.framework]
        assert words in task.prompt
        assert task.entry_point in task.prompt
        if isinstance(task.check, UnitaryCheck) and task.check.gates is not None:
            assert all(gate in task.prompt for gate in task.check.gates)


def test_every_task_has_a_visible_case(suite: Suite) -> None:
    assert all(any(not case.hidden for case in task.check.cases) for task in suite.tasks)  # type: ignore[attr-defined]
