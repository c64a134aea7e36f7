"""Candidates on Qiskit 0.46.0 with Aer 0.14.2, the versions of the QuanBench+ paper, in a separate environment."""

import json
import os
import subprocess
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from repair_bench import suites
from repair_bench.coroutines import run_to_end
from repair_bench.executors import environments, interpreters
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.options import ExecutorOptions
from repair_bench.executors.program import Call, Program, UnitTest
from repair_bench.grading.audit.drift import drift, read
from repair_bench.grading.grade import grade_file
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Outcome

pytestmark = pytest.mark.slow

NAME = "qiskit-0.46.0"
PACKAGES = ["qiskit==0.46.0", "qiskit-aer==0.14.2", "pytest", "hypothesis"]
BEHAVIOUR = Path(__file__).with_name("test_observe_qiskit.py")


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of the environment, which is stored in REPAIR_BENCH_TEST_ENVS if this is set."""
    folder = os.environ.get("REPAIR_BENCH_TEST_ENVS") or tmp_path_factory.mktemp("envs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REPAIR_BENCH_ENVS", str(folder))
        if NAME not in interpreters.environment_names():
            try:
                environments.create(NAME, PACKAGES)
            except UsageError as error:
                if os.environ.get("REPAIR_BENCH_CI"):
                    raise
                pytest.skip(f"Qiskit 0.46.0 cannot be installed: {error}")
        return interpreters.find(NAME)


@pytest.fixture(scope="module")
def old(python: Path) -> Iterator[LocalExecutor]:
    executor = LocalExecutor(workers=2, pythons={"qiskit": str(python)})
    yield executor
    executor.shutdown()


@pytest.fixture(scope="module")
def run(old: LocalExecutor) -> Callable[..., Outcome]:
    def execute(source: str, what: str = "distribution", **kwargs: Any) -> Outcome:
        call = kwargs.get("call") or Call("answer", what)
        return run_to_end(old.run(Program("qiskit", textwrap.dedent(source).lstrip("\n"), call)))

    return execute


@pytest.fixture(scope="module")
def observed(run: Callable[..., Outcome]) -> Callable[..., dict[str, Any]]:
    def observe(body: str, what: str = "distribution") -> dict[str, Any]:
        lines = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
        outcome = run(
            f"from qiskit import *\nfrom qiskit.circuit import *\n\ndef answer():\n{lines}\n    return qc\n", what
        )
        assert outcome.status == "returned", outcome
        (case,) = outcome.value["cases"]
        return case

    return observe


def approx(expected: Any) -> Any:
    return pytest.approx(expected, abs=1e-9)


def test_versions_and_sandbox_layers_are_reported(old):
    versions = old.versions("qiskit")
    assert (versions["qiskit"], versions["qiskit_aer"]) == ("0.46.0", "0.14.2")
    assert versions["numpy"].startswith("1.")
    assert old.layers("qiskit") == old.layers("python")


def test_the_adapter_tests_pass_on_old_qiskit(python, tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    command = [python, "-m", "pytest", "-q", "-c", tmp_path / "pytest.ini", "--rootdir", BEHAVIOUR.parent]
    options = ["--noconftest", "-p", "no:cacheprovider", "-W", "ignore", BEHAVIOUR]
    environment = {**os.environ, "PYTHONPATH": str(BEHAVIOUR.parents[2]), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*command, *options], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert int(done.stdout.splitlines()[-1].split()[0]) > 40


def test_a_gate_conditioned_on_a_bit_or_a_register(observed):
    seen = observed(
        """
        a, b = ClassicalRegister(2, "a"), ClassicalRegister(2, "b")
        qc = QuantumCircuit(QuantumRegister(3, "q"), a, b)
        qc.h([0, 1])
        qc.measure([0, 1], a)
        qc.x(2).c_if(a, 3)
        qc.measure(2, b[0])
        qc.x(2).c_if(a[0], 1)
        qc.measure(2, b[1])
        """
    )
    assert seen["registers"] == [["b", 2], ["a", 2]]
    assert seen["probabilities"] == approx({"0000": 0.25, "1001": 0.25, "0010": 0.25, "0111": 0.25})


def test_a_conditioned_composite_of_gates(observed):
    seen = observed(
        """
        flip = QuantumCircuit(2, name="flip")
        flip.x([0, 1])
        qc = QuantumCircuit(3, 3)
        qc.h(0)
        qc.measure(0, 0)
        qc.append(flip.to_gate(), [1, 2]).c_if(0, 1)
        qc.measure([1, 2], [1, 2])
        """
    )
    assert seen["probabilities"] == approx({"000": 0.5, "111": 0.5})
    assert seen["gates"] == {"h": 1, "x": 2, "measure": 3}


def test_if_test_with_a_pair_and_an_else_block(observed):
    seen = observed(
        """
        qc = QuantumCircuit(2, 2)
        qc.h(0)
        qc.measure(0, 0)
        with qc.if_test((qc.clbits[0], True)) as otherwise:
            qc.x(1)
        with otherwise:
            qc.h(1)
        qc.measure(1, 1)
        """
    )
    assert seen["probabilities"] == approx({"11": 0.5, "00": 0.25, "10": 0.25})


def test_mid_circuit_measurement_and_reset(observed):
    seen = observed(
        """
        qc = QuantumCircuit(1, 3)
        qc.h(0)
        qc.measure(0, 0)
        qc.h(0)
        qc.measure(0, 1)
        qc.reset(0)
        qc.measure(0, 2)
        """
    )
    assert seen["probabilities"] == approx({"000": 0.25, "001": 0.25, "010": 0.25, "011": 0.25})


def test_the_gates_that_later_versions_removed(observed):
    seen = observed(
        """
        qc = QuantumCircuit(4, 4)
        qc.x([0, 1, 2])
        qc.cnot(0, 3)
        qc.toffoli(0, 1, 3)
        qc.mct([0, 1, 2], 3)
        qc.fredkin(0, 1, 3)
        qc.i(0)
        qc.measure(range(4), range(4))
        """
    )
    assert seen["probabilities"] == approx({"1111": 1.0})
    assert seen["gates"]["cx"] == 1


@pytest.mark.parametrize(
    "returned",
    [
        "execute(qc, Aer.get_backend('qasm_simulator'), shots=200).result().get_counts()",
        "execute(qc, Aer.get_backend('aer_simulator'), shots=200).result()",
        "BasicAer.get_backend('qasm_simulator').run(transpile(qc, basis_gates=['u', 'cx']), shots=200).result()",
        "qiskit_aer.AerSimulator().run(qc, shots=200).result().get_counts(qc)",
    ],
)
def test_counts_of_old_simulators_carry_their_shots(observed, returned):
    seen = observed(
        f"""
        import qiskit_aer
        from qiskit import BasicAer

        qc = QuantumCircuit(2, 2)
        qc.x(1)
        qc.measure([0, 1], [0, 1])
        qc = {returned}
        """
    )
    assert (seen["probabilities"], seen["shots"]) == ({"10": 1.0}, 200)


def test_results_of_old_samplers_are_read(observed):
    exact = observed(
        """
        from qiskit.primitives import Sampler

        qc = QuantumCircuit(2)
        qc.h(0)
        qc.measure_all()
        qc = Sampler().run(qc).result()
        """
    )
    assert exact["probabilities"] == approx({"00": 0.5, "01": 0.5})
    assert exact["shots"] is None


def test_statevectors_and_unitaries_of_aer(observed):
    state = observed(
        """
        qc = QuantumCircuit(1)
        qc.h(0)
        qc = execute(qc, Aer.get_backend("statevector_simulator")).result().get_statevector()
        """,
        "state",
    )
    assert [re for re, _ in state["amplitudes"]] == approx([0.5**0.5, 0.5**0.5])
    unitary = observed(
        """
        qc = QuantumCircuit(1)
        qc.y(0)
        qc = execute(qc, Aer.get_backend("unitary_simulator")).result().get_unitary()
        """,
        "unitary",
    )
    assert unitary["matrix"] == [[[0, 0], approx([0, -1])], [approx([0, 1]), [0, 0]]]


def test_a_traceback_shows_candidate_lines_without_paths(run, python):
    outcome = run(
        """
        from qiskit import QuantumCircuit

        def answer():
            qc = QuantumCircuit(1)
            qc.cx(0, 0)
            return qc
        """
    )
    assert outcome.status == "exception"
    assert outcome.exception.type.endswith("CircuitError")
    assert "duplicate qubit arguments" in outcome.exception.message
    assert "qc.cx(0, 0)" in outcome.exception.traceback
    assert str(python.parents[3]) not in outcome.exception.traceback
    assert "repair_bench" not in outcome.exception.traceback


def test_a_newer_name_is_an_exception_of_the_candidate(run):
    outcome = run("from qiskit.primitives import StatevectorSampler\n\ndef answer():\n    pass\n")
    assert (outcome.status, outcome.exception.type) == ("exception", "ImportError")


def test_unit_tests_run_on_old_qiskit(run):
    test = "def check(candidate):\n    from qiskit import Aer\n    assert candidate() == {'1': 10}\n"
    source = """
    from qiskit import Aer, QuantumCircuit, execute

    def answer():
        qc = QuantumCircuit(1, 1)
        qc.x(0)
        qc.measure(0, 0)
        return dict(execute(qc, Aer.get_backend("qasm_simulator"), shots=10).result().get_counts())
    """
    outcome = run(source, call=UnitTest(entry_point="answer", test=test, function="check", passes_candidate=True))
    assert outcome.value["test"] == "passed", outcome


CURRENT = """
from qiskit import QuantumCircuit

def Bell_State():
    qc = QuantumCircuit(2)
    qc.h(0)
    qc.cx(0, 1)
    return qc
"""
REMOVED = CURRENT.replace("import QuantumCircuit", "import Aer, QuantumCircuit, execute")


def test_the_drift_between_versions_lists_missing_names(python, tmp_path):
    lines = [{"task_id": "16", "framework": "qiskit", "code": code} for code in (CURRENT, REMOVED)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for out, pythons in (("old.jsonl", {"qiskit": str(python)}), ("new.jsonl", {})):
        summary = grade_file(
            tmp_path / "in.jsonl", "aligned", tmp_path / out, data=None, executor=ExecutorOptions(pythons=pythons)
        )
        assert summary["faults"] == 0
    found = drift(read(tmp_path / "old.jsonl"), read(tmp_path / "new.jsonl"))
    assert (found["passed_before"], found["passed_after"]) == (2, 1)
    (changed,) = found["changed"]
    assert (changed["line"], changed["before"], changed["after"]) == (2, "pass", "exception")
    assert changed["detail"].startswith("ImportError: cannot import name 'Aer'")


def test_a_task_whose_test_needs_a_missing_module_is_excluded(datasets, python):
    executor = LocalExecutor(pythons={"qiskit": str(python)})
    data = datasets / "qiskit-humaneval"
    suite = run_to_end(suites.load("qiskit-humaneval", data=data, import_path=executor.import_path))
    executor.shutdown()
    reasons = {task.id: task.excluded for task in suite.tasks}
    assert reasons["qiskitHumanEval/1"] == "needs qiskit_ibm_runtime, not installed"
    assert reasons["qiskitHumanEval/0"] is None
