"""Tasks of a user: documented fields are read, and anything else is refused with its place."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from judging import CX, pairs

from repair_bench import suites
from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Limits
from repair_bench.grading.audit.validate import validate
from repair_bench.suites.checks import DistributionCheck, StateCheck, UnitaryCheck, UnitTestCheck
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError

BELL = """
from qiskit import QuantumCircuit

def bell():
    circuit = QuantumCircuit(2)
    circuit.h(0)
    circuit.cx(0, 1)
    {}return circuit
"""

CNOT = """
from qiskit import QuantumCircuit

def cnot(a, b):
    circuit = QuantumCircuit(2)
    circuit.cx(a, b)
    return circuit
"""

UNIT_TEST: dict[str, Any] = {
    "task_id": "mine/count",
    "framework": "qiskit",
    "entry_point": "bell",
    "prompt": "Write bell() ...",
    "check": {"kind": "unit_test", "test": "def check(candidate): assert candidate().num_qubits == 2"},
    "reference": BELL.format(""),
}
DISTRIBUTION = {
    **UNIT_TEST,
    "task_id": "mine/measured",
    "check": {"kind": "distribution", "cases": [{"expected": {"00": 0.5, "11": 0.5}}], "gates": ["h", "cx"]},
    "reference": BELL.format("circuit.measure_all()\n    "),
}
STATE = {
    **UNIT_TEST,
    "task_id": "mine/state",
    "check": {"kind": "state", "cases": [{"expected": pairs(np.array([1, 0, 0, 1]) / np.sqrt(2))}]},
}
UNITARY = {
    **UNIT_TEST,
    "task_id": "mine/cnot",
    "entry_point": "cnot",
    "check": {"kind": "unitary", "cases": [{"args": [0, 1], "expected": pairs(CX)}]},
    "reference": CNOT,
}


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def write(*lines: Any) -> Path:
        path = tmp_path / "tasks.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return path

    return write


def load(path: Path, **options: Any) -> Suite:
    return run_to_end(suites.load("jsonl", data=path, **options))


@pytest.fixture
def one(write: Callable[..., Path]) -> Callable[[dict[str, Any]], Task]:
    return lambda line: load(write(line)).tasks[0]


def test_each_kind_of_check_is_read(write: Callable[..., Path]) -> None:
    suite = load(write(UNIT_TEST, DISTRIBUTION, STATE, UNITARY))
    kinds = [type(task.check) for task in suite.tasks]
    assert kinds == [UnitTestCheck, DistributionCheck, StateCheck, UnitaryCheck]
    assert [task.id for task in suite.tasks] == ["mine/count", "mine/measured", "mine/state", "mine/cnot"]


@pytest.mark.slow
def test_the_references_of_all_kinds_pass(write: Callable[..., Path], executor: LocalExecutor) -> None:
    suite = load(write(UNIT_TEST, DISTRIBUTION, STATE, UNITARY))
    rows = run_to_end(validate(suite, executor))
    assert {row["id"]: row["detail"] for row in rows if row["result"] != "pass"} == {}


@pytest.mark.slow
def test_a_wrong_program_fails_each_kind(write: Callable[..., Path], executor: LocalExecutor) -> None:
    wrong = [
        {**UNIT_TEST, "reference": BELL.format("").replace("QuantumCircuit(2)", "QuantumCircuit(3)")},
        {**DISTRIBUTION, "reference": BELL.format("circuit.x(0)\n    circuit.measure_all()\n    ")},
        {**STATE, "reference": BELL.format("circuit.z(0)\n    ")},
        {**UNITARY, "reference": CNOT.replace("cx(a, b)", "cx(b, a)")},
    ]
    rows = run_to_end(validate(load(write(*wrong)), executor))
    assert [row["result"] for row in rows] == ["fails"] * 4


def test_a_folder_is_read_from_its_tasks_jsonl(write: Callable[..., Path]) -> None:
    assert load(write(UNIT_TEST).parent).content_hash == load(write(UNIT_TEST)).content_hash


def test_omitted_fields_have_the_documented_defaults(one: Callable[..., Task]) -> None:
    task = one({key: value for key, value in UNIT_TEST.items() if key != "reference"})
    assert (task.reference, task.difficulty, task.errata, task.excluded) == (None, None, None, None)
    assert (task.category, task.title, task.starter, task.concepts) == ("unsorted", "bell", "", ())
    assert task.check.limits == Limits()


def test_limits_are_read(one: Callable[..., Task]) -> None:
    task = one({**UNIT_TEST, "limits": {"cpu_seconds": 90.0, "memory_mb": 512}})
    assert (task.check.limits.cpu_seconds, task.check.limits.memory_mb) == (90.0, 512)


@pytest.mark.parametrize(
    ("check", "call"),
    [
        ({"test": "def test_other(): ...\ndef test_bell(): ...\ndef check(c): ..."}, ("test_bell", False)),
        ({"test": "def test_other(): ...\ndef check(c): ..."}, ("test_other", False)),
        ({"test": "def check(c): ..."}, ("check", True)),
        ({"test": "def test_bell(): ...\ndef mine(): ...", "function": "mine"}, ("mine", False)),
    ],
)
def test_the_test_function_is_found(one: Callable[..., Task], check: dict[str, str], call: tuple[str, bool]) -> None:
    task = one({**UNIT_TEST, "check": {"kind": "unit_test", **check}})
    assert (task.check.function, task.check.passes_candidate) == call


def test_a_problem_may_occur_in_several_frameworks(write: Callable[..., Path]) -> None:
    path = write(DISTRIBUTION, {**DISTRIBUTION, "framework": "cirq", "reference": None})
    assert [task.framework for task in load(path).tasks] == ["qiskit", "cirq"]
    assert [task.framework for task in load(path, frameworks=["cirq"]).tasks] == ["cirq"]
    with pytest.raises(UsageError, match="contains no tasks in pennylane"):
        load(path, frameworks=["pennylane"])


def test_a_task_with_a_missing_import_is_excluded(one: Callable[..., Task]) -> None:
    task = one({**UNIT_TEST, "reference": "import no_such_package.part\n"})
    assert task.excluded == "needs no_such_package, not installed"


def test_hidden_cases_stay_hidden(one: Callable[..., Task]) -> None:
    expected = {"0": 1.0}
    cases = [{"args": [1], "expected": expected}, {"args": [2], "expected": expected, "hidden": True}]
    task = one({**DISTRIBUTION, "check": {"kind": "distribution", "cases": cases}})
    assert [(case.args, case.hidden) for case in task.check.cases] == [((1,), False), ((2,), True)]


def test_without_a_file_the_error_names_the_option() -> None:
    with pytest.raises(UsageError, match="--data FILE"):
        run_to_end(suites.load("jsonl"))


def check(**fields: Any) -> dict[str, Any]:
    return {**UNIT_TEST, "check": fields}


def cases(kind: str, *expected: Any) -> dict[str, Any]:
    return check(kind=kind, cases=[{"expected": one} for one in expected])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({**UNIT_TEST, "framework": "braket"}, "framework: "),
        ({**UNIT_TEST, "entry_point": "not a name"}, "entry_point: "),
        ({**UNIT_TEST, "task_id": 3}, "task_id: Input should be a valid string"),
        ({**UNIT_TEST, "hint": "?"}, "hint: Extra inputs are not permitted"),
        ({**UNIT_TEST, "prompt": ""}, "prompt: "),
        ({**UNIT_TEST, "limits": {"cpu": 3}}, "limits.cpu: Extra inputs are not permitted"),
        ({**UNIT_TEST, "limits": {"cpu_seconds": 0}}, "limits.cpu_seconds: "),
        ({key: value for key, value in UNIT_TEST.items() if key != "check"}, "check: Field required"),
        (check(kind="oracle"), "check: "),
        (check(kind="unit_test"), "check.unit_test.test: Field required"),
        (check(kind="unit_test", test="def check(:"), "check.unit_test.test: Value error, is not Python: "),
        (check(kind="unit_test", test="x = 1"), "Value error, check.test defines neither test_bell nor"),
        (check(kind="unit_test", test="x = 1", function="f"), "Value error, check.test does not define the function f"),
        (check(kind="unit_test", test="def check(c): ...", extra=1), "check.unit_test.extra: Extra inputs"),
        (check(kind="distribution", cases=[]), "check.distribution.cases: "),
        (cases("distribution", {}), "check.distribution.cases.0.expected"),
        (cases("distribution", {"0": 0.5, "11": 0.5}), "check.distribution.cases.0.expected"),
        (cases("distribution", {"0": 0.5, "2": 0.5}), "check.distribution.cases.0.expected"),
        (cases("distribution", {"0": 0.5}), "check.distribution.cases.0.expected"),
        (cases("distribution", {"0": 1.5, "1": -0.5}), "check.distribution.cases.0.expected"),
        (cases("distribution", {"0": 1}, {"0": "1"}), "check.distribution.cases.1.expected.0: "),
        (cases("state", [[1, 0]]), "check.state.cases.0.expected"),
        (cases("state", [[1, 0], [0, 0], [0, 0]]), "check.state.cases.0.expected"),
        (cases("state", [[1, 0], [1, 0]]), "check.state.cases.0.expected: Value error, the norm is 1.41421, not 1"),
        (cases("state", [[1, 0], [1]]), "check.state.cases.0.expected"),
        (cases("state", [1, 0]), "check.state.cases.0.expected"),
        (cases("state", [["1", 0], [0, 0]]), "check.state.cases.0.expected"),
        (cases("unitary", [[[1, 0], [1, 0]], [[0, 0], [1, 0]]]), "check.unitary.cases.0.expected"),
        (cases("unitary", [[[1, 0], [0, 0]]]), "check.unitary.cases.0.expected"),
        (cases("unitary", pairs(np.eye(2) + 0j), pairs(np.eye(4) + 0j)), "check.unitary: Value error, the matrices"),
    ],
)
def test_undocumented_content_names_file_line_and_field(
    write: Callable[..., Path], line: dict[str, Any], message: str
) -> None:
    path = write(DISTRIBUTION, line)
    with pytest.raises(UsageError) as error:
        load(path)
    assert str(error.value).startswith(f"{path}, line 2: {message}")
    assert "\n" not in str(error.value)


def test_a_duplicate_task_names_both_places(write: Callable[..., Path]) -> None:
    path = write(UNIT_TEST, DISTRIBUTION, UNIT_TEST)
    with pytest.raises(UsageError) as error:
        load(path)
    assert str(error.value) == (f"{path}, line 3: task_id: mine/count in qiskit occurs twice, first in {path}, line 1")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ": contains no tasks"),
        (b"\n\n{", ", line 3: is not JSON"),
        (b"{}\n\xff", ", line 2: is not UTF-8"),
        (b"\n]", ", line 2: is not JSON"),
        (b"\n\0", ", line 2: is not JSON"),
        (b"9" * 5000, ", line 1: "),
        (b'{"task_id": NaN}', ", line 1: cannot be used as JSON: NaN is not JSON"),
        (b'{"a": 1, "a": 2}', ", line 1: cannot be used as JSON: a field occurs twice"),
        (b'{"task_id": "\\ud800"}', ", line 1: cannot be used as JSON"),
        (b'{"task_id": 1e999}', ", line 1: cannot be used as JSON"),
        (b"[" * 100_000, ", line 1: cannot be used as JSON"),
        (b"3", ", line 1: Input should be a valid dictionary"),
        (b'{} {"task_id": "1"}', ", line 1: is not JSON (Extra data)"),
    ],
)
def test_invalid_json_names_file_and_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_bytes(content)
    with pytest.raises(UsageError) as error:
        load(path)
    assert str(error.value).startswith(f"{path}{message}")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"tasks\.jsonl: cannot be read: No such file"):
        load(tmp_path)


@pytest.mark.slow
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused_with_its_name(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "tasks.jsonl"
    content = bytearray("".join(json.dumps(line) + "\n" for line in (UNIT_TEST, DISTRIBUTION, STATE)).encode())
    start = data.draw(st.integers(0, len(content)))
    content[start : start + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=4))
    path.write_bytes(bytes(content))
    complaint, tasks = "", 0
    try:
        tasks = len(load(path).tasks)
    except UsageError as error:
        complaint = str(error)
    assert 1 <= tasks <= 3 or complaint.startswith(str(path))
    assert "\n" not in complaint
