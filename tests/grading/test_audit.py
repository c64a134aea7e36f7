"""The audit of graders: wrong programs that pass, and right ones that are rejected."""

import ast
import json
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging import MadeExecutor, distribution, returned
from qiskit import QuantumCircuit
from qiskit.quantum_info import Operator, Statevector

from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Program
from repair_bench.grading.audit import Certificate, Settings, audit
from repair_bench.grading.audit.adversarial_programs import ADVERSARIAL, adversarial_programs
from repair_bench.grading.audit.auditor import in_turn
from repair_bench.grading.audit.certificate import TaskAudit, phantom_repair
from repair_bench.grading.audit.equivalence import Reference
from repair_bench.grading.audit.false_rejections import exact_rejections, sampled_rejections
from repair_bench.grading.audit.parameters import draws
from repair_bench.grading.audit.trivial_baselines import FIXED, FORMED, TRIVIAL, if_right, trivial_baselines
from repair_bench.grading.judge import Judge
from repair_bench.report import graders
from repair_bench.suites.checks import (
    Case,
    CircuitCheck,
    DistributionCheck,
    StateCheck,
    UnitaryCheck,
    UnitTestCheck,
    samples,
)
from repair_bench.suites.checks.observation import Distribution
from repair_bench.suites.checks.rules import RULES, rule
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import ExecutorError
from repair_bench.traces.record.labels import Label
from repair_bench.traces.record.records import Outcome

EVERY_FRAMEWORK = pytest.mark.parametrize(
    "framework",
    ["qiskit", pytest.param("cirq", marks=pytest.mark.slow), pytest.param("pennylane", marks=pytest.mark.slow)],
)


BELL = """
from qiskit import QuantumCircuit

def answer():
    qc = QuantumCircuit(2)
    qc.h(0)
    qc.cx(0, 1)
    qc.s(0)
    return qc
"""

FEED_FORWARD = """
from qiskit import QuantumCircuit

def answer(theta):
    qc = QuantumCircuit(2, 2)
    qc.rx(theta, 0)
    qc.measure(0, 0)
    with qc.if_test((0, 1)):
        qc.x(1)
    qc.measure(1, 1)
    return qc
"""

TWO_ROTATIONS = {
    "qiskit": """
from qiskit import QuantumCircuit

def answer(theta):
    qc = QuantumCircuit(2)
    qc.rx(theta, 0)
    qc.ry(theta, 1)
    qc.cz(0, 1)
    return qc
""",
    "cirq": """
import cirq

def answer(theta):
    a, b = cirq.LineQubit.range(2)
    return cirq.Circuit(cirq.rx(theta)(a), cirq.ry(theta)(b), cirq.CZ(a, b))
""",
    "pennylane": """
import pennylane as qml

def answer(theta):
    @qml.qnode(qml.device("default.qubit", wires=2))
    def circuit():
        qml.RX(theta, wires=0)
        qml.RY(theta, wires=1)
        qml.CZ(wires=[0, 1])
        return qml.state()
    return circuit()
""",
}


def a_task(check: CircuitCheck | UnitTestCheck, reference: str | None = None, framework: str = "qiskit") -> Task:
    return Task("by hand", "01", framework, "answer", "", "", check, "algorithm", reference=reference)


def unit_test(*lines: str, before: str = "") -> UnitTestCheck:
    return UnitTestCheck(test="\n    ".join([f"{before}def test_answer():", *lines]) + "\n", function="test_answer")


ECHO = unit_test("assert answer(7) == 7")


def a_suite(*tasks: Task) -> Suite:
    return Suite("by hand", "1", "", tuple(replace(task, id=f"{i:02}") for i, task in enumerate(tasks, start=1)))


def certified(executor: LocalExecutor, *tasks: Task, **settings: int) -> Certificate:
    return run_to_end(audit(a_suite(*tasks), executor, Settings(**{"redraws": 20, "runs": 2, **settings})))


def same(executor: LocalExecutor, task: Task, source: str) -> bool:
    return run_to_end(Reference(task, Judge(executor), seed=0).agrees(source, channel=True))


def called(source: str, *given: object) -> object:
    """Return the answer of a program, executed in this process."""
    namespace: dict = {}
    exec(source, namespace)
    return namespace["answer"](*given)


def sure(key: str, **more: object) -> DistributionCheck:
    return DistributionCheck(cases=(Case((), {key: 1.0}),), **more)


def bell_state() -> StateCheck:
    return StateCheck(cases=(Case((), np.array([1, 0, 0, 1j]) / np.sqrt(2)),), qubits=2)


def uniform_state(qubits: int) -> np.ndarray:
    return np.full(2**qubits, 2 ** (-qubits / 2), complex)


class TestTrivialBaselines:
    @pytest.mark.slow
    @EVERY_FRAMEWORK
    def test_empty_gives_zeros_and_hadamards_a_uniform_answer(self, executor, framework) -> None:
        h = np.array([[1, 1], [1, -1]]) / np.sqrt(2)
        zero = (
            sure("00"),
            StateCheck(cases=(Case((), np.array([1, 0, 0, 0], complex)),), qubits=2),
            UnitaryCheck(cases=(Case((), np.eye(4, dtype=complex)),), qubits=2),
        )
        uniform = (
            DistributionCheck(cases=(Case((), dict.fromkeys(["00", "01", "10", "11"], 0.25)),)),
            StateCheck(cases=(Case((), uniform_state(2)),), qubits=2),
            UnitaryCheck(cases=(Case((), np.kron(h, h).astype(complex)),), qubits=2),
        )
        found = certified(executor, *(a_task(check, framework=framework) for check in zero + uniform))
        for task in found.tasks[:3]:
            assert task.passed_by["empty"], task.check
            assert not task.passed_by["hadamards"], task.check
        for task in found.tasks[3:]:
            assert not task.passed_by["empty"], task.check
            assert task.passed_by["hadamards"], task.check

    def test_they_are_python(self) -> None:
        for framework in ("qiskit", "cirq", "pennylane"):
            for check in (
                sure("010"),
                bell_state(),
                UnitaryCheck(cases=(Case((), np.eye(8)),)),
                ECHO,
            ):
                found = trivial_baselines(a_task(check, "def answer(x): ...\n", framework=framework))
                assert tuple(found) == TRIVIAL
                for source in found.values():
                    ast.parse(source)

    def test_without_a_reference_no_form_is_known(self) -> None:
        assert tuple(trivial_baselines(a_task(ECHO))) == tuple(FIXED)

    @pytest.mark.slow
    def test_vacuous_unit_test_is_passed_by_nothing(self, executor) -> None:
        idle = unit_test("answer(1)")
        strict = unit_test("assert answer(1) == 2")
        helped = unit_test("answer(helper())")
        reference = "def helper():\n    return 1\n\ndef answer(x):\n    return x\n"
        found = certified(executor, a_task(idle), a_task(strict), a_task(helped, reference), mutants_per_task=0)
        assert [task.passed_by["nothing"] for task in found.tasks] == [True, False, True]

    @pytest.mark.slow
    def test_weak_tests_are_passed(self, executor) -> None:
        idle = unit_test("answer(1)")
        ordered = unit_test("given = [2, 1]", "assert answer(given) == sorted(given)")
        passed = [
            set(task.trivial_baselines) for task in certified(executor, *map(a_task, (ECHO, idle, ordered))).tasks
        ]
        assert passed == [
            {"first_argument", "emptied_arguments"},
            set(FIXED) - {"raises", "exits"},
            {"emptied_arguments"},
        ]

    @pytest.mark.slow
    def test_right_baselines_are_distinguished_from_weak_tests(self, executor) -> None:
        circuit = "from qiskit import QuantumCircuit\n"
        magnitudes = UnitTestCheck(
            test="import numpy as np\nfrom qiskit import QuantumCircuit\nfrom qiskit.quantum_info import Statevector\n"
            "def test_answer():\n    qc = QuantumCircuit(2)\n    qc.x(0)\n"
            "    found = abs(Statevector(answer(qc)).data)\n    assert found.size == 4 and np.allclose(found, 0.5)\n",
            function="test_answer",
        )
        fourier = "def answer(qc):\n    qc.h(1)\n    qc.cp(1.5707963267948966, 0, 1)\n    qc.h(0)\n    return qc\n"
        lengths = unit_test("found = answer()", "assert len(found['sums']) == len(found['all']) == 3")
        sums = "import numpy\ndef answer():\n    return {'sums': [1, 2, 3], 'all': numpy.ones(3)}\n"
        same = unit_test("assert not answer(QuantumCircuit(1)).data", before=circuit)
        identity = f"{circuit}def answer(qc):\n    return qc\n"
        tasks = a_task(magnitudes, circuit + fourier), a_task(lengths, sums), a_task(same, identity)
        found = certified(executor, *tasks, mutants_per_task=0).tasks
        formed = list(FORMED)
        assert [task.trivial_baselines for task in found] == [["hadamards"], formed, []]
        assert found[2].right == ("empty", "first_argument", "emptied_arguments")
        named = replace(tasks[2], weak=("empty",))
        (found_weak,) = certified(executor, named, mutants_per_task=0).tasks
        assert (found_weak.trivial_baselines, found_weak.right) == (["empty"], ("first_argument", "emptied_arguments"))

    @pytest.mark.parametrize(
        ("returned", "empty", "ones"),
        [
            ("True", False, True),
            ("7", 0, 1),
            ("-0.5", 0.0, 1.0),
            ("'0110'", "0000", "1111"),
            ("[3, 'ab', (2.0, True)]", [0, "00", (0.0, False)], [1, "11", (1.0, True)]),
            ("{'alice': 3, 'bob': [1]}", {"alice": 0, "bob": [0]}, {"alice": 1, "bob": [1]}),
            ("{'01 1': 700, '10 0': 324}", {"00 0": 1024}, {"11 1": 1024}),  # counts: their keys are the answer
            ("{}", {}, {}),
        ],
    )
    def test_answers_have_the_form_of_the_reference(self, returned, empty, ones) -> None:
        reference = f"def answer(*given):\n    return {returned}\n"
        for name, wanted in (("empty", empty), ("hadamards", ones)):
            found = called(trivial_baselines(a_task(ECHO, reference))[name], 1)
            assert (found, type(found)) == (wanted, type(wanted))

    def test_arrays_have_the_shape_and_the_type_of_the_reference(self) -> None:
        reference = "import numpy\ndef answer():\n    return numpy.full((2, 3), 5j)\n"
        found = called(trivial_baselines(a_task(ECHO, reference))["hadamards"])
        assert (found.shape, found.dtype, set(found.flat)) == ((2, 3), complex, {1})

    def test_circuits_have_the_registers_of_the_reference_only(self) -> None:
        reference = """
from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister

def answer(given):
    made = QuantumCircuit(QuantumRegister(2, "q"), QuantumRegister(1, "ancilla"), ClassicalRegister(2, "c"))
    made.compose(given, [0, 1], inplace=True)
    made.global_phase = 1
    made.cx(0, 2)
    return made
"""
        sources = trivial_baselines(a_task(ECHO, reference))
        given = QuantumCircuit(2)
        given.x(1)
        found = {name: called(sources[name], given) for name in FORMED}
        for circuit in found.values():
            assert [(r.name, r.size) for r in (*circuit.qregs, *circuit.cregs)] == [("q", 2), ("ancilla", 1), ("c", 2)]
            assert circuit.global_phase == 0
        ops = {name: dict(circuit.count_ops()) for name, circuit in found.items()}
        assert ops == {
            "empty": {}, "hadamards": {"x": 1, "h": 3}, "measured": {"measure": 2}, "reset": {"x": 1, "reset": 3}
        }  # fmt: skip

    def test_states_operators_and_gates_have_their_number_of_qubits(self) -> None:
        for made, wanted in (
            ("Statevector([0, 1, 0, 0])", Statevector.from_label("++")),
            ("Operator.from_label('XZ')", Operator.from_label("HH")),
            ("CXGate()", Operator.from_label("HH")),
        ):
            imports = "from qiskit.quantum_info import *\nfrom qiskit.circuit.library import CXGate\n"
            task = a_task(ECHO, f"{imports}def answer(): return {made}\n")
            found = called(trivial_baselines(task)["hadamards"])
            assert (Operator(found) if made == "CXGate()" else found) == wanted

    def test_recursive_reference_and_changed_argument_are_handled(self) -> None:
        reference = "def answer(x):\n    x.append(1)\n    return [1, *answer(x)] if len(x) < 4 else [1]\n"
        given: list[int] = []
        assert called(trivial_baselines(a_task(ECHO, reference))["empty"], given) == [0] * 4
        assert given == []

    @pytest.mark.parametrize(("returned", "right"), [
        ("circuit(2)", {"empty"}), ("with_id", {"empty"}), ("1.0", {"one", "true"}), ("[0, 0]", {"empty"}),
        ("None", set()), ("with_reset", {"empty"}), ("'x'", set()),
    ])  # fmt: skip
    def test_baseline_is_right_if_it_equals_the_reference(self, returned, right) -> None:
        reference = f"""
from qiskit import QuantumCircuit as circuit

with_id, with_reset = circuit(2), circuit(2)
with_id.z(0)
with_id.z(0)
with_reset.reset(0)

def answer():
    return {returned}
"""
        task = a_task(ECHO, reference)

        def is_right(name: str) -> bool:
            try:
                called(if_right(task, name))
            except (RuntimeError, AttributeError):
                return False
            return True

        assert {name for name in ("empty", "one", "true", "nothing") if is_right(name)} == right


class TestAdversarialPrograms:
    STRICT = unit_test("assert answer(1) == 2")

    def test_they_are_python_and_define_the_entry_point(self) -> None:
        found = adversarial_programs(a_task(self.STRICT))
        assert set(found) == set(ADVERSARIAL)
        for source in found.values():
            ast.parse(source)
            assert source.endswith("answer = forged\n")
        assert adversarial_programs(a_task(bell_state())) == {}

    @pytest.mark.slow
    def test_none_passes_a_strict_test(self, executor) -> None:
        for task in certified(executor, a_task(self.STRICT), a_task(ECHO), mutants_per_task=0).tasks:
            assert not {name for name in ADVERSARIAL if task.passed_by[name]}

    def test_certificate_separates_sound_tasks(self) -> None:
        def found(passed: tuple[str, ...], weak: tuple[str, ...] = (), right: tuple[str, ...] = ()) -> TaskAudit:
            passed_by = {name: name in passed for name in (*TRIVIAL, *ADVERSARIAL)}
            labels: tuple[Label, ...] = ("weak",) if weak else ()
            return TaskAudit(
                "01", "qiskit", "unit test", "none", passed_by=passed_by, weak=weak, labels=labels, right=right
            )

        echo, anything = ("first_argument",), ("nothing", "first_argument")
        tasks = (
            found(()),
            found(echo, echo),
            found((*echo, "mock_any"), echo),
            found(("mock_any",), anything),
            found(echo, right=echo),
            found(("zero",)),
        )
        certificate = Certificate("by hand", "1", "", "exact", Settings(), tasks)
        assert [task.fooled_by for task in tasks] == [[], [], ["mock_any"], [], [], []]
        data = certificate.to_json()
        figures = data["totals"]["all"]
        assert {name: len(named) for name, named in figures["blanks_pass"].items()} == {"all": 3, "sound": 1}
        assert (len(figures["fooled"]), len(figures["labels"]["weak"]), figures["sound"]) == (1, 3, 3)
        assert graders.certificate_sentences(data) == [
            "Incorrect trivial baselines are accepted in 3 of 6 tasks, and in 1 of 3 sound tasks.",
            "Tasks that accept a trivial baseline, correct or not: zero 1, first argument 3.",
            "Tests that reject the answer None but accept an adversarial program: 1.",
            "Number of tests that accept each adversarial program: mock any 2.",
        ]
        assert [row["note"] for row in certificate.rows()] == [
            "",
            "passed by first_argument; weak",
            "passed by first_argument, mock_any; weak",
            "passed by mock_any; weak",
            "right: first_argument",
            "passed by zero",
        ]


class TestEquivalence:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("change", "to"),
        [
            ("qc.s(0)", "qc.p(1.5707963267948966, 0)"),
            ("qc.s(0)", "qc.rz(1.5707963267948966, 0)"),  # a global phase
            ("qc.s(0)", "qc.s(0); qc.z(1); qc.z(1)"),
            ("qc.cx(0, 1)\n    qc.s(0)", "qc.s(0)\n    qc.cx(0, 1)"),
        ],
    )
    def test_equal_operation_is_recognised(self, executor, change, to) -> None:
        assert same(executor, a_task(bell_state(), BELL), BELL.replace(change, to))

    @pytest.mark.parametrize(
        ("change", "to"),
        [
            ("qc.s(0)", "pass"),
            ("qc.s(0)", "qc.sdg(0)"),
            ("qc.h(0)", "qc.h(1)"),
            ("qc.s(0)", "qc.rz(1.5708, 0)"),  # four digits
            ("qc.h(0)", "qc.cx(0, 1); qc.h(0)"),  # the identity on |00> only
            ("QuantumCircuit(2)", "QuantumCircuit(3)"),
            ("return qc", "return None"),
            ("qc.h(0)", "raise ValueError"),
        ],
    )
    def test_different_operation_is_not_the_same(self, executor, change, to) -> None:
        assert not same(executor, a_task(bell_state(), BELL), BELL.replace(change, to))

    @pytest.mark.slow
    def test_operations_and_measurements_are_both_compared(self, executor) -> None:
        measured = BELL.replace("return qc", "qc.measure_all()\n    return qc")
        task = a_task(DistributionCheck(cases=(Case((), {"00": 0.5, "11": 0.5}),)), measured)
        assert same(executor, task, measured.replace("qc.s(0)", "qc.p(1.5707963267948966, 0)"))
        assert not same(executor, task, measured.replace("qc.s(0)", "pass"))  # the outcomes are the same
        assert not same(
            executor, task, measured.replace("qc.measure_all()", "qc.measure_all(); qc = qc.reverse_bits()")
        )
        crossed = "qc.add_register(ClassicalRegister(2)); qc.measure([0, 1], [1, 0])"
        crossed = measured.replace("qc.measure_all()", crossed).replace("import", "import ClassicalRegister,")
        assert not same(executor, task, crossed)

    def test_circuit_with_feed_forward_is_never_the_same(self, executor) -> None:
        task = a_task(DistributionCheck(cases=(Case((1.1,), {"00": 0.5, "11": 0.5}),)), FEED_FORWARD)
        assert not same(executor, task, FEED_FORWARD)

    @pytest.mark.slow
    def test_parameters_beyond_the_cases_count(self, executor) -> None:
        reference = TWO_ROTATIONS["qiskit"]
        task = a_task(StateCheck(cases=(Case((1.0,), None),), qubits=2), reference)
        assert same(executor, task, reference.replace("qc.rx(theta, 0)", "qc.rx(theta / 2, 0); qc.rx(theta / 2, 0)"))
        assert not same(executor, task, reference.replace("qc.rx(theta, 0)", "qc.rx(1.0, 0)"))
        assert not same(executor, task, reference.replace("qc.rx(theta, 0)", "qc.rx(abs(theta), 0)"))

    @pytest.mark.slow
    @pytest.mark.parametrize(("framework", "change", "to"), [
        ("cirq", "cirq.CZ(a, b)", "cirq.CZ(b, a)"),
        ("pennylane", "qml.CZ(wires=[0, 1])", "qml.CZ(wires=[1, 0])"),
    ])  # fmt: skip
    def test_it_holds_in_every_framework(self, executor, framework, change, to) -> None:
        reference = TWO_ROTATIONS[framework]
        task = a_task(StateCheck(cases=(Case((1.0,), None),), qubits=2), reference, framework)
        assert same(executor, task, reference.replace(change, to))
        assert not same(executor, task, reference.replace("CZ", "CNOT"))
        assert not same(executor, task, reference.replace("(theta", "(1.0"))

    def test_random_parameters_are_like_those_of_the_cases(self) -> None:
        rng = random.Random(1)
        found = draws([("110", 2, [0.5, 1.0], "left"), ("011", 5, [0.1, 0.2], "left")], 20, rng)
        for bits, number, reals, word in found:
            assert set(bits) <= {"0", "1"}
            assert len(bits) == 3
            assert 2 <= number <= 5
            assert len(reals) == 2
            assert word == "left"
        assert len({args[2][0] for args in found}) == 20
        assert draws([()], 5, rng) == draws([("left", True, None)], 5, rng) == []


def right(task):
    return [mutant for mutant in task.mutants if mutant.fate == "right"]


class TestMutants:
    @pytest.mark.slow
    def test_state_check_rejects_more_than_outcome_check(self, executor) -> None:
        outcomes = DistributionCheck(cases=(Case((), {"00": 0.5, "11": 0.5}),))
        found = certified(executor, a_task(bell_state(), BELL), a_task(outcomes, BELL), mutants_per_task=100)
        state, bits = found.tasks
        assert state.reference == bits.reference == "pass"
        # a Bell state looks the same from both ends: right, but not the same channel
        assert {mutant.kind for mutant in right(state)} == {"bits_reversed", "qubits_permuted"}
        assert [m.description for m in right(bits) if m.kind == "gate_dropped"] == ["qc.s(0) dropped"]
        assert not state.counts["survived"] + bits.counts["survived"]
        figures = found.totals()["all"]
        n, rejected = len(right(state) + right(bits)), figures["mutants"]["rejected"]
        assert (figures["score"], figures["score_with_right"]) == (1, rejected / (rejected + n))
        score = f"100.0% ({100 * rejected / (rejected + n):.1f}% with acceptable mutants)"
        summary = f"{n} are acceptable, and 0 survived. Mutation score: {score}"
        assert summary in "".join(graders.certificate_sentences(found.to_json()))
        assert len(state.mutants) == state.mutants_made >= 10

    @pytest.mark.slow
    def test_mutant_right_for_the_calls_only_survives(self, executor) -> None:
        """The angle 0 does not distinguish rotations; other accepted angles do."""
        zeros = StateCheck(cases=(Case((0.0,), np.array([1, 0, 0, 0], complex)),), qubits=2)
        (found,) = certified(executor, a_task(zeros, TWO_ROTATIONS["qiskit"]), mutants_per_task=8).tasks
        assert {mutant.fate for mutant in found.mutants} == {"survived"}

    def test_kinds_alternate_and_the_seed_decides_the_order(self) -> None:
        task = a_task(bell_state(), BELL)
        order = in_turn(task, 0)
        kinds = {mutant.kind for mutant in order}
        assert {mutant.kind for mutant in order[: len(kinds)]} == kinds
        assert [m.source for m in order] == [m.source for m in in_turn(task, 0)]
        assert [m.source for m in order] != [m.source for m in in_turn(task, 1)]
        assert {m.source for m in order} == {m.source for m in in_turn(task, 1)}

    @pytest.mark.slow
    def test_mutants_that_raise_are_counted_and_replaced(self, executor) -> None:
        raising = "\n    ".join(f"assert QuantumCircuit({n}).num_qubits > {n - 1}" for n in range(1, 9))
        reference = BELL.replace("qc.h(0)", f"{raising}\n    qc.h(0)")
        (found,) = certified(executor, a_task(bell_state(), reference), mutants_per_task=10).tasks
        assert found.counts["raised"] > 0
        assert found.counts.total() - found.counts["raised"] >= 10

    @pytest.mark.slow
    def test_the_same_settings_give_the_same_certificate(self, executor) -> None:
        tasks = a_task(bell_state(), BELL), a_task(sure("0"))
        one, other = (certified(executor, *tasks, mutants_per_task=6) for _ in range(2))
        assert json.dumps(one.to_json()) == json.dumps(other.to_json())
        assert [row["note"] for row in one.rows()] == ["", "passed by empty, measured, reset"]
        assert [row["accepted"] for row in graders.certificate_rows(one.rows())] == ["100.0%", None]


class TestRedrawnAnswers:
    UNIFORM = dict.fromkeys([format(i, "06b") for i in range(64)], 1 / 64)

    @pytest.mark.slow
    def test_exact_rule_never_rejects_and_released_rule_mostly_does(self) -> None:
        p = np.full(64, 1 / 64)
        stored = dict(zip(self.UNIFORM, np.random.default_rng(11).multinomial(1000, p) / 1000, strict=True))
        answer = returned(distribution(self.UNIFORM))
        exact = a_task(DistributionCheck(cases=(Case((), self.UNIFORM),)))
        released = a_task(DistributionCheck(cases=(Case((), stored),), rule="released"))
        assert exact_rejections(exact, answer, 300) == 0
        assert exact_rejections(released, answer, 300) > 240
        assert exact_rejections(exact, Outcome("exception"), 10) == 0  # draws the expected answer

    def test_samples_are_drawn_from_the_answer_of_the_reference(self) -> None:
        task = a_task(DistributionCheck(cases=(Case((), {"0": 1.0}),)))
        rng = np.random.default_rng(0)
        assert sampled_rejections(task, None, 50, rng) == (50, 0)
        assert sampled_rejections(task, returned(distribution({"0": 0.5, "1": 0.5})), 50, rng) == (50, 50)
        assert sampled_rejections(a_task(bell_state()), None, 50, rng) == (0, 0)

    @given(st.integers(0, 2**32), st.integers(2, 24), st.sampled_from(sorted(RULES)))
    def test_array_arithmetic_agrees_with_the_rules(self, seed, size, name) -> None:
        rng = np.random.default_rng(seed)
        p = rng.dirichlet([0.5] * size)
        rows = samples.draw(p, 1000, 6, rng)
        keys = [format(i, "05b") for i in range(size)]
        expected = dict(zip(keys, p.tolist(), strict=True))
        judged = [
            rule(name)(
                expected, Distribution(5, {k: float(q) for k, q in zip(keys, row, strict=True) if q}, 1000), seed=0
            )
            for row in rows
        ]
        assert samples.rejected(name, p, rows, 1000).tolist() == [one.problem is not None for one in judged]

    def test_phantom_repair_of_the_three_noisy_tasks(self) -> None:
        assert phantom_repair([0.06, 0.5, 0.9]) == pytest.approx(0.7748, abs=1e-4)
        assert phantom_repair([0.06, 0.5, 0.9], attempts=1) == 0
        assert phantom_repair([0.0, 1.0]) == 0

    @given(st.floats(0, 1), st.integers(1, 6))
    def test_phantom_repair_agrees_with_coin_throws(self, p, attempts) -> None:
        later = sum((1 - p) ** k * p for k in range(1, attempts))
        assert phantom_repair([p], attempts) == pytest.approx(later, abs=1e-12)

    @pytest.mark.slow
    def test_random_unit_test_flips(self, executor) -> None:
        check = unit_test("assert answer() and random.random() < 0.5", before="import random\n")
        reference = "def answer():\n    return True\n"
        (found,) = certified(executor, a_task(check, reference), runs=8, mutants_per_task=0).tasks
        assert found.flips
        assert 0 < found.runs_passed < 8


class TestFaultsAndForms:
    def test_infrastructure_error_is_counted_and_judges_nothing(self) -> None:
        async def broken(program: Program) -> Outcome:
            raise ExecutorError("no machine")

        found = run_to_end(audit(a_suite(a_task(bell_state(), BELL)), MadeExecutor(broken), Settings(runs=2)))
        (task,) = found.tasks
        assert (task.reference, task.passed_by, task.mutants, task.faults) == ("fault", {}, (), 17)
        assert found.totals()["all"]["faults"] == 17

    def test_excluded_task_and_failing_reference_are_noted(self, executor) -> None:
        excluded = replace(a_task(bell_state(), BELL), excluded="needs a network")
        wrong = a_task(bell_state(), BELL.replace("qc.s(0)", "qc.sdg(0)"))
        found = certified(executor, excluded, wrong)
        assert [(t.reference, t.mutants) for t in found.tasks] == [("excluded", ()), ("fails", ())]
        assert found.tasks[0].detail == "needs a network"
        assert [row["note"] for row in found.rows()] == ["excluded", "reference: fails"]
