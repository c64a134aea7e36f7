"""The policy `api`: the documentation of the names in an exception, looked up in the installed framework."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from repair_bench.coroutines import run_to_end
from repair_bench.executors.guest import api_lookup
from repair_bench.executors.local import LocalExecutor
from repair_bench.grading.judge import Judge
from repair_bench.prompts.feedback import Failure, api, make_feedback
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.record.records import Outcome, Verdict

TITLE = "From the documentation of the installed version of"
SECONDS = 8.0
"""Several times the CPU time of a look-up, with the imports of a framework and its companions."""

Names = Callable[..., list[str]]


def bell(suite: Suite, framework: str) -> Task:
    return next(one for one in suite.tasks if one.id == "16" and one.framework == framework)


def judged(executor: LocalExecutor, task: Task, imports: str, body: str) -> tuple[Verdict, str]:
    code = f"{imports}\n\ndef {task.entry_point}():\n    {body}\n"
    return run_to_end(Judge(executor).code(task, code)).verdict, code


@pytest.fixture
def names(suite: Suite, executor: LocalExecutor) -> Names:
    """Return the lines on names after a program with this import and this body ran and failed."""

    def feedback(framework: str, imports: str, body: str = "return None") -> list[str]:
        task = bell(suite, framework)
        verdict, code = judged(executor, task, imports, body)
        assert verdict.kind == "exception"
        program = api.program(task, Failure(verdict, code))
        assert program is not None
        ran = run_to_end(executor.run(program))
        assert ran.status == "returned"
        assert (ran.cpu_seconds or 0) < SECONDS
        text = make_feedback("api", task, verdict, code=code, ran=ran).text
        assert text.endswith("in one Python code block.")
        assert (TITLE in text) == bool(ran.stdout.strip())
        return [line for line in text.splitlines() if line.startswith("- ")]

    return feedback


@pytest.mark.slow
def test_moved_class_is_shown_with_its_new_path(names) -> None:
    (first, *_) = names("qiskit", "from qiskit.extensions import UnitaryGate")
    assert first.startswith("- `qiskit.circuit.library.UnitaryGate(data, label=None, ")
    assert first.endswith("`: Class for quantum gates specified by a unitary matrix.")


@pytest.mark.slow
def test_moved_compiled_function_is_found(names) -> None:
    function = "random_invertible_binary_matrix"
    (first, *_) = names("qiskit", f"from qiskit.synthesis.linear.linear_matrix_utils import {function}")
    assert first.startswith(f"- `qiskit.synthesis.{function}(")


@pytest.mark.slow
def test_class_in_a_companion_package_is_found(names) -> None:
    shown = names("qiskit", "from qiskit.providers.aer import AerSimulator")
    assert shown[0].startswith("- `qiskit_aer.AerSimulator(")


@pytest.mark.slow
def test_every_missing_name_of_an_import_is_looked_up(names) -> None:
    shown = names("qiskit", "from qiskit.tools import (\n    partial_trace,\n    parallel_map,\n)")
    assert [line.split("(")[0] for line in shown] == [
        "- `qiskit.quantum_info.partial_trace",
        "- `qiskit.utils.parallel_map",
    ]


@pytest.mark.slow
def test_removed_method_is_followed_by_its_replacement(names) -> None:
    shown = names("qiskit", "from qiskit import QuantumCircuit", "qc = QuantumCircuit(3); qc.toffoli(0, 1, 2)")
    assert shown[0].startswith("- `qiskit.QuantumCircuit.ccx(control_qubit1, control_qubit2, target_qubit")
    assert len(shown) == 3


@pytest.mark.slow
def test_method_that_became_a_function_is_found(names) -> None:
    use = "return Statevector([1, 0, 0, 0]).mutual_information([0], [1])"
    shown = names("qiskit", "from qiskit.quantum_info import Statevector", use)
    assert shown[0].startswith("- `qiskit.quantum_info.mutual_information(state, base=2)`: ")


@pytest.mark.slow
def test_misspelt_keyword_shows_the_signature(names) -> None:
    shown = names("qiskit", "from qiskit.quantum_info import random_unitary", "return random_unitary(dim=2)")
    assert shown == ["- `qiskit.quantum_info.random_unitary(dims, seed=None)`: Return a random unitary Operator."]


@pytest.mark.slow
def test_unknown_module_without_similar_names_shows_nothing(names) -> None:
    assert names("qiskit", "import qiskit.aqua") == []


@pytest.mark.slow
def test_undefined_name_of_the_standard_library_is_found(names) -> None:
    assert names("qiskit", "import qiskit", "return math.pi")[0].startswith("- module `math`: ")


@pytest.mark.slow
def test_misspelt_operation_of_pennylane_is_found(names) -> None:
    shown = names("pennylane", "import pennylane as qml", "qml.AngleEmbeding([0.1], wires=[0])")
    assert shown[0].startswith("- `pennylane.AngleEmbedding(features, wires, rotation='X', id=None)`: ")


@pytest.mark.slow
def test_renamed_function_of_cirq_is_found(names) -> None:
    shown = names("cirq", "import cirq", "return cirq.final_wavefunction(cirq.Circuit())")
    assert shown[0].startswith("- `cirq.final_state_vector(program")
    assert " at 0x" not in shown[0]


@pytest.mark.slow
def test_two_look_ups_print_the_same(suite, executor) -> None:
    task = bell(suite, "cirq")
    verdict, code = judged(executor, task, "import cirq", "return cirq.Simulator().simulat()")
    program = api.program(task, Failure(verdict, code))
    assert program is not None
    first, second = (run_to_end(executor.run(program)).stdout for _ in range(2))
    assert first == second != ""


def test_wrong_answer_gets_the_default_feedback(suite, executor) -> None:
    task = bell(suite, "qiskit")
    verdict, code = judged(executor, task, "from qiskit import QuantumCircuit", "return QuantumCircuit(2)")
    assert verdict.kind == "wrong_answer"
    assert api.program(task, Failure(verdict, code)) is None
    texts = [make_feedback(policy, task, verdict, code=code).text for policy in ("api", "default")]
    assert texts[0] == texts[1]


def test_other_languages_are_not_looked_up(task) -> None:
    raised = Verdict("exception", {"type": "Error", "message": "no gate h", "traceback": ""})
    assert api.program(task, Failure(raised, "")) is not None
    assert api.program(replace(task, framework="openqasm3"), Failure(raised, "OPENQASM 3;")) is None


def test_long_signatures_and_paragraphs_are_shortened() -> None:
    def long(**options: int) -> None: ...

    long.__doc__ = "word " * 1_000
    long.__signature__ = None
    text = api_lookup.describe("qiskit.long", long)
    assert len(text) < 2 * api_lookup.MAX_TEXT
    assert text.endswith(" ...")


def test_strange_exceptions_find_nothing() -> None:
    for kind, message, code in (("AttributeError", "'' has no attribute ''", ""), ("TypeError", "f() takes", "x = (")):
        assert api_lookup.lookup("cirq", kind, message, 'File "solution.py", line 1', code) == []


def test_documentation_is_not_redacted_though_the_reference_uses_it(suite: Suite) -> None:
    task = replace(bell(suite, "qiskit"), reference="def Bell_State():\n    QuantumCircuit.if_test(condition=1)\n")
    line = "- `qiskit.QuantumCircuit.if_test(condition, true_body=None)`"
    found = {"type": "AttributeError", "message": "no attribute 'iftest'", "traceback": "AttributeError: iftest"}
    verdict, ran = Verdict("exception", found), Outcome("returned", stdout=f"{line}\n")
    shown = make_feedback("api", task, verdict, code="qc.iftest()", ran=ran)
    assert line in shown.text
    assert shown.redacted == 0
    assert make_feedback("tool", task, verdict, code="qc.iftest()", ran=ran).redacted == 1
