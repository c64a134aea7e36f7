"""Oracles that replace published unit tests: their helpers, their tasks, and the answers that they accept."""

import tomllib
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_answers import RIGHT
from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister
from qiskit.circuit import Gate
from qiskit.quantum_info import Operator, random_unitary
from sampled import LONG

from repair_bench import suites
from repair_bench.coroutines import map_bounded, run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.grading.audit.adversarial_programs import adversarial_programs
from repair_bench.grading.audit.trivial_baselines import trivial_baselines
from repair_bench.grading.judge import Judge
from repair_bench.suites import qiskit_humaneval, quantum_katas
from repair_bench.suites.oracles import kinds, read
from repair_bench.suites.qiskit_humaneval import errata as humaneval_errata
from repair_bench.suites.quantum_katas import errata as katas_errata
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Verdict

FOLDERS = {"qiskit-humaneval": qiskit_humaneval.ORACLES, "quantum-katas": quantum_katas.ORACLES}
WRONG_REFERENCES = {
    "BasicGates/1.7",  # Z instead of -I
    *("BoundedKnapsack/2.4", "BoundedKnapsack/2.6"),  # an exclusive or instead of a sum
    "DeutschJozsa/4.1",  # ones for every function
    "DistinguishUnitaries/1.10",  # random for small angles
    *(f"DistinguishUnitaries/1.{n}" for n in (5, 6, 7, 8)),  # the operation is not controlled
    *("GraphColoring/11", "GraphColoring/17"),  # two wrong edges count as a right coloring
    "GroversAlgorithm/2.3",  # a sign on other states than 0 for three qubits
    "MagicSquareGame/2.2",  # not a magic square
    *("Measurements/1.14", "Measurements/1.15", "Measurements/2.3"),  # random
    *("PhaseEstimation/5", "PhaseEstimation/7"),  # the swaps of the transform are at the wrong end
    *("RippleCarryAdder/5.2", "RippleCarryAdder/5.3"),  # an increment without carries
    "SimonsAlgorithm/Algorithm",  # the solution of the equations fails for some strings
    *("Teleportation/1.6", "Teleportation/4.2"),  # always False; X for the message
}
"""Published solutions that do not solve their task."""
BROKEN_REFERENCES = {
    *("GraphColoring/9", "GroversAlgorithm/2.2", "KeyDistribution_BB84/3.2", "SolveSATWithGrover/3.2"),
    *("Superposition/2.3", "Teleportation/1.8"),
}
"""Published solutions that raise an exception."""
APART = sorted(Path(__file__).with_name("oracle_answers_apart").glob("*.toml"))
"""Right and wrong answers with reasons, mostly by authors who had not read the oracles; a file per file of oracles. The
entry point is `answer`, and `HEAD` precedes each."""
HEAD = """
import itertools
import random
from math import pi, sqrt

import numpy as np
from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister, transpile
from qiskit.circuit import Gate, Parameter
from qiskit.circuit.library import UnitaryGate, XGate
from qiskit.quantum_info import Operator, Statevector
from qiskit_aer import AerSimulator
"""
QUICK = ("Teleportation/1.4", "RippleCarryAdder/2.3", "JointMeasurements/2")
"""Oracles of three kinds: measured circuits, matrices, answers that are numbers."""


async def load(name: str, datasets: Path, rule: str = "semantic") -> Suite:
    return await suites.load(name, data=datasets / name, rule=rule)


@pytest.fixture(scope="module")
def tasks(datasets: Path) -> dict[str, Task]:
    """Return the tasks with an oracle."""
    loaded = [run_to_end(load(name, datasets)) for name in FOLDERS]
    return {task.id: task for suite in loaded for task in suite.tasks if task.oracle is not None}


class Apart(NamedTuple):
    task: str
    label: str
    why: str
    code: str


def apart(file: Path) -> list[Apart]:
    by_task = tomllib.loads(file.read_text(encoding="utf-8"))
    return [
        Apart(task, answer["label"], answer.get("why", ""), HEAD + answer["code"])
        for task, answers in by_task.items()
        for answer in answers
    ]


def verdicts(executor: LocalExecutor, *answers: tuple[Task, str]) -> list[Verdict]:
    async def judged() -> list[Verdict]:
        judge = Judge(executor)
        made = await map_bounded(answers, lambda answer: judge.code(*answer), lambda: executor.capacity)
        return [each.verdict for each in made]

    return run_to_end(judged())


def by_oracle(task: Task) -> Task:
    """Return the task with only its oracle, to save time."""
    return replace(task, check=task.oracle, oracle=None)


def named(task: Task, answer: str) -> str:
    return f"{answer}\n{task.entry_point} = answer\n"


@given(st.integers(1, 3), st.integers(0, 2**31), st.floats(0, 6.28))
def test_an_appended_gate_is_found_up_to_a_phase(width, seed, phase) -> None:
    gate = random_unitary(2**width, seed=seed)

    def apply(circuit: QuantumCircuit, qubits: list[int]) -> QuantumCircuit:
        circuit.global_phase += phase
        circuit.unitary(gate, qubits)
        return circuit

    found = kinds.applied(apply, width)
    kinds.same(found, gate.data)
    other = random_unitary(2**width, seed=seed + 1).data
    assert not kinds.is_same(found, other)
    with pytest.raises(AssertionError):
        kinds.same(found, other, np.eye(2**width))


@given(st.integers(1, 4), st.integers(0, 2**31))
def test_reversing_the_qubits_twice_changes_nothing(qubits, seed) -> None:
    matrix = random_unitary(2**qubits, seed=seed).data
    assert np.array_equal(kinds.reversed_qubits(kinds.reversed_qubits(matrix)), matrix)
    assert np.array_equal(kinds.reversed_qubits(matrix)[:, 0], kinds.reversed_qubits(matrix[:, 0]))
    circuit = QuantumCircuit(qubits)
    circuit.unitary(matrix, range(qubits))
    assert np.allclose(Operator(circuit.reverse_bits()).data, kinds.reversed_qubits(matrix))


def test_an_emptied_circuit_is_refused() -> None:
    def empties(circuit: QuantumCircuit, _: list[int]) -> QuantumCircuit:
        circuit.clear()
        return circuit

    with pytest.raises(AssertionError, match="changed"):
        kinds.applied(empties, 2)


@pytest.mark.parametrize("spare", [0, 1])
def test_a_lent_qubit_must_be_unchanged(spare) -> None:
    def leaves(circuit: QuantumCircuit, qubits: list[int]) -> QuantumCircuit:
        if not spare:
            circuit.add_register(QuantumRegister(1, "lent"))
        circuit.cx(qubits[0], circuit.num_qubits - 1)
        return circuit

    def cleans(circuit: QuantumCircuit, qubits: list[int]) -> QuantumCircuit:
        leaves(circuit, qubits).cx(qubits[0], circuit.num_qubits - 1)
        return circuit

    with pytest.raises(AssertionError, match="changed"):
        kinds.applied(leaves, 2, 0, spare)
    if spare:
        assert np.allclose(kinds.applied(cleans, 2, 0, spare), np.eye(4))


def test_an_entangled_state_is_refused() -> None:
    def entangles(circuit: QuantumCircuit, qubits: list[int]) -> QuantumCircuit:
        circuit.add_register(QuantumRegister(1, "other"))
        circuit.h(qubits[0])
        circuit.cx(qubits[0], circuit.num_qubits - 1)
        return circuit

    with pytest.raises(AssertionError, match="entangled"):
        kinds.prepared(entangles, 2)


def test_one_reading_must_fit_every_case() -> None:
    zero, one = np.array([1, 0]), np.array([0, 1])
    kinds.one_reading([(zero, (zero, one)), (1j * one, (one, zero))])
    with pytest.raises(AssertionError, match="every reading"):
        kinds.one_reading([(zero, (zero, one)), (one, (zero, one))])


def test_changed_arguments_are_refused() -> None:
    assert kinds.answer(sum, [1, 2]) == 3
    with pytest.raises(AssertionError, match="argument"):
        kinds.answer(list.clear, [1, 2])


def test_qubits_are_followed_through_measurements_and_conditions() -> None:
    circuit = QuantumCircuit(2)
    gates = kinds.random_state(circuit, [0, 1])
    bit = ClassicalRegister(1, "bit")
    circuit.add_register(bit)
    circuit.measure(1, bit)
    with circuit.if_test((bit, 1)):
        circuit.x(1)
    others = QuantumCircuit(1)
    others.append(gates.data[0].operation, [0])
    kinds.undone(circuit, others, [0, 1])
    circuit.x(1)
    with pytest.raises(AssertionError):
        kinds.undone(circuit, others, [0, 1])


@pytest.mark.parametrize("look", [kinds.applied, kinds.prepared])
def test_a_gate_on_another_qubit_is_refused(look) -> None:
    def touches(circuit: QuantumCircuit, qubits: list[int]) -> QuantumCircuit:
        circuit.h(range(len(qubits)))
        return circuit

    with pytest.raises(AssertionError):
        look(touches, 2)


def test_a_lost_global_phase_of_the_circuit_is_found() -> None:
    def resets(circuit: QuantumCircuit, _: list[int]) -> QuantumCircuit:
        circuit.global_phase = 0
        return circuit

    assert not np.allclose(kinds.applied(resets, 2), np.eye(4), atol=0.1)


def test_conditions_on_measurements_may_not_change_the_result() -> None:
    def mends(circuit: QuantumCircuit, qubits: list[int]) -> QuantumCircuit:
        helper, bit = QuantumRegister(1), ClassicalRegister(1)
        circuit.add_register(helper, bit)
        circuit.cx(qubits[0], helper[0])
        circuit.h(helper[0])
        circuit.measure(helper[0], bit[0])
        with circuit.if_test((bit, 1)):
            circuit.z(qubits[0])
            circuit.x(helper[0])
        return circuit

    def measures(circuit: QuantumCircuit, qubits: list[int]) -> QuantumCircuit:
        circuit.measure_all()
        return circuit

    kinds.same(kinds.applied(mends, 2), np.eye(4))
    with pytest.raises(AssertionError, match="random"):
        kinds.applied(measures, 2)


def test_only_library_operations_count_by_their_name() -> None:
    circuit = QuantumCircuit(1, 1)
    circuit.u(1, 2, 3, 0)
    circuit.delay(10, 0)
    circuit.barrier()
    circuit.measure(0, 0)
    assert all(kinds.is_of_library(step.operation) for step in circuit.data)
    for name in ("u", "h", "measure", "barrier", "mine"):
        taken = Gate(name, 1, [])
        taken.definition = QuantumCircuit(1)
        taken.definition.ry(0.3, 0)
        assert not kinds.is_of_library(taken)
        circuit.append(taken, [0])
    assert set(kinds.opened(circuit).count_ops()) == {"u", "delay", "barrier", "measure", "ry"}


@pytest.mark.parametrize("value", [None, "1", "False", [1], 2, 0.5, float("nan")])
def test_a_value_that_is_not_a_truth_value_is_refused(value) -> None:
    with pytest.raises((AssertionError, ValueError)):
        kinds.truth(value)
    if value != 2:
        with pytest.raises((AssertionError, ValueError)):
            kinds.integer(value)


@pytest.mark.slow
def test_a_sequential_test_keeps_its_error_rates() -> None:
    def accepted(p: float) -> float:
        rng = np.random.default_rng(1)

        def once() -> bool:
            try:
                kinds.mostly(lambda: rng.random() < p, 0.2, 0.1)
            except AssertionError:
                return False
            return True

        return float(np.mean([once() for _ in range(300)]))

    assert accepted(0.2) == accepted(0.3) == 1
    assert accepted(0.1) < 0.02


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS.values(), ids=FOLDERS)
def test_oracles_do_not_import_the_package(folder) -> None:
    for oracle in read(folder).values():
        assert "repair_bench.suites" not in oracle.source
        compile(oracle.source, "<oracle>", "exec")


def test_each_oracle_has_a_task_and_is_sealed(tasks) -> None:
    assert set(tasks) == {task for folder in FOLDERS.values() for task in read(folder)}
    assert {task.oracle.sealed for task in tasks.values()} == {"stub"}
    assert {task.rule for task in tasks.values()} == {"semantic"}
    assert len(tasks) >= 105


def test_each_oracle_has_two_right_answers(tasks) -> None:
    assert {task: len(answers) >= 2 for task, answers in RIGHT.items()} == dict.fromkeys(tasks, True)


def test_each_oracle_has_independent_answers(tasks) -> None:
    made = Counter((answer.task, answer.label) for file in APART for answer in apart(file))
    assert {task for task, _ in made} == set(tasks)
    assert all(made[task, "right"] >= 2 and made[task, "wrong"] >= 3 for task in tasks)
    assert all(answer.why for file in APART for answer in apart(file) if answer.label == "wrong")


def test_each_weak_or_wrong_task_has_an_oracle_or_a_reason(tasks) -> None:
    doubtful = {task for errata in (katas_errata, humaneval_errata) for task in (*errata.WEAK, *errata.WRONG)}
    assert set(katas_errata.NO_ORACLE) == doubtful - set(tasks)


@pytest.mark.slow
def test_the_published_test_is_the_default(datasets) -> None:
    suite = run_to_end(load("quantum-katas", datasets, "exact"))
    assert {task.oracle for task in suite.tasks} == {None}
    assert {task.rule for task in suite.tasks} == {"exact"}


def test_a_suite_without_oracles_refuses_the_semantic_rule() -> None:
    with pytest.raises(UsageError, match="the rule semantic requires oracles, and aligned has none"):
        run_to_end(suites.load("aligned", rule="semantic"))


@pytest.mark.slow
def test_the_verdicts_of_oracle_and_published_test_are_reported(tasks, executor) -> None:
    weak, strict = tasks["QFT/1.4"], tasks["BasicGates/1.10"]
    unchanged, right = verdicts(
        executor,
        (weak, f"def {weak.entry_point}(qc, *more):\n    return qc\n"),
        (strict, named(strict, RIGHT[strict.id][0])),
    )
    assert (unchanged.kind, unchanged.published, unchanged.rule) == ("wrong_answer", "pass", "semantic")
    assert (right.kind, right.published, right.sealed) == ("pass", "wrong_answer", "stub")


@pytest.mark.slow
@pytest.mark.parametrize("task_id", QUICK)
def test_oracles_refuse_trivial_and_adversarial_programs(tasks, executor, task_id) -> None:
    task = by_oracle(tasks[task_id])
    programs = {**trivial_baselines(tasks[task_id]), **adversarial_programs(tasks[task_id])}
    judged = dict(zip(programs, verdicts(executor, *((task, source) for source in programs.values())), strict=True))
    assert [name for name, verdict in judged.items() if verdict.kind == "pass"] == []


@pytest.mark.slow
def test_references_and_other_right_answers_are_accepted(tasks, executor) -> None:
    answers = [(task, named(task, answer)) for task in tasks.values() for answer in RIGHT[task.id]]
    answers += [
        (task, task.reference or "")
        for task in tasks.values()
        if task.id not in {*WRONG_REFERENCES, *BROKEN_REFERENCES, *LONG}
    ]
    found = verdicts(executor, *((by_oracle(task), answer) for task, answer in answers))
    refused = [
        (task.id, answer, v.evidence) for (task, answer), v in zip(answers, found, strict=True) if v.kind != "pass"
    ]
    assert refused == []


@pytest.mark.slow
@pytest.mark.parametrize("file", APART, ids=lambda file: file.stem)
def test_only_the_right_independent_answers_pass(tasks, executor, file) -> None:
    answers = apart(file)
    found = verdicts(executor, *((by_oracle(tasks[one.task]), named(tasks[one.task], one.code)) for one in answers))
    mistaken = [
        (one.task, one.label, one.why, verdict.kind, verdict.evidence)
        for one, verdict in zip(answers, found, strict=True)
        if (verdict.kind == "pass") != (one.label == "right")
    ]
    assert mistaken == []


@pytest.mark.slow
def test_published_solutions_that_are_wrong_or_broken_are_refused(tasks, executor) -> None:
    ids = sorted({*WRONG_REFERENCES, *BROKEN_REFERENCES})
    found = dict(
        zip(ids, verdicts(executor, *((by_oracle(tasks[i]), tasks[i].reference or "") for i in ids)), strict=True)
    )
    kinds_found = {i: verdict.kind for i, verdict in found.items()}
    assert kinds_found == {i: "exception" if i in BROKEN_REFERENCES else "wrong_answer" for i in ids}
