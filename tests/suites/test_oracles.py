"""Oracles beside published unit tests: what they are written with, which there are, and what they accept."""

import asyncio
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

from repair_bench import suites
from repair_bench.coroutines import map_bounded
from repair_bench.executors.local import LocalExecutor
from repair_bench.grading.audit.adversarial_programs import referees
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
    "BasicGates/1.7": "Z in the place of -I",
    "BoundedKnapsack/2.4": "an exclusive or in the place of a sum",
    "BoundedKnapsack/2.6": "an exclusive or in the place of a sum",
    "DeutschJozsa/4.1": "ones, whatever the function",
    "DistinguishUnitaries/1.10": "random where the angle is small",
    "DistinguishUnitaries/1.5": "what is applied is not controlled",
    "DistinguishUnitaries/1.6": "what is applied is not controlled",
    "DistinguishUnitaries/1.7": "what is applied is not controlled",
    "DistinguishUnitaries/1.8": "what is applied is not controlled",
    "GraphColoring/11": "two wrong edges make a right coloring",
    "GraphColoring/17": "two wrong edges make a right coloring",
    "GroversAlgorithm/2.3": "a sign on other states than 0 where there are three qubits",
    "MagicSquareGame/2.2": "no magic square",
    "Measurements/1.14": "random",
    "Measurements/1.15": "random",
    "Measurements/2.3": "random",
    "PhaseEstimation/5": "the transform has its swaps at the wrong end",
    "PhaseEstimation/7": "the same",
    "RippleCarryAdder/5.2": "an increment without carries",
    "RippleCarryAdder/5.3": "the same",
    "SimonsAlgorithm/Algorithm": "equations solved by a rule that some strings break",
    "Teleportation/1.6": "False, whatever is measured",
    "Teleportation/4.2": "X for the message",
}
"""Published solutions that do not do what their prompt asks."""
BROKEN_REFERENCES = {
    "GraphColoring/9",
    "GroversAlgorithm/2.2",
    "KeyDistribution_BB84/3.2",
    "SolveSATWithGrover/3.2",
    "Superposition/2.3",
    "Teleportation/1.8",
}
"""Those that raise an exception."""
APART = sorted(Path(__file__).with_name("oracle_answers_apart").glob("*.toml"))
"""Answers of people who had not read the oracles, and of some who had: right ones, wrong ones and why, a file for each
of oracles. `answer` stands for the entry point, and `HEAD` before them all."""
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
    """The tasks with an oracle."""
    loaded = [asyncio.run(load(name, datasets)) for name in FOLDERS]
    return {task.id: task for suite in loaded for task in suite.tasks if task.oracle is not None}


class Apart(NamedTuple):
    """An answer of those in `APART`."""

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
    """The verdicts on answers to some tasks."""

    async def judged() -> list[Verdict]:
        judge = Judge(executor)
        made = await map_bounded(answers, lambda answer: judge.code(*answer), lambda: executor.capacity)
        return [each.verdict for each in made]

    return asyncio.run(judged())


def by_oracle(task: Task) -> Task:
    """The task, its oracle asked alone: half the work."""
    return replace(task, check=task.oracle, oracle=None)


def named(task: Task, answer: str) -> str:
    return f"{answer}\n{task.entry_point} = answer\n"


# what oracles are written with


@given(st.integers(1, 3), st.integers(0, 2**31), st.floats(0, 6.28))
def test_what_is_appended_is_found_up_to_a_phase_whatever_the_numbers_of_the_qubits(width, seed, phase) -> None:
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
def test_turning_the_order_of_qubits_twice_changes_nothing(qubits, seed) -> None:
    matrix = random_unitary(2**qubits, seed=seed).data
    assert np.array_equal(kinds.reversed_qubits(kinds.reversed_qubits(matrix)), matrix)
    assert np.array_equal(kinds.reversed_qubits(matrix)[:, 0], kinds.reversed_qubits(matrix[:, 0]))
    circuit = QuantumCircuit(qubits)
    circuit.unitary(matrix, range(qubits))
    assert np.allclose(Operator(circuit.reverse_bits()).data, kinds.reversed_qubits(matrix))


def test_a_circuit_that_was_emptied_is_refused() -> None:
    def empties(circuit: QuantumCircuit, _: list[int]) -> QuantumCircuit:
        circuit.clear()
        return circuit

    with pytest.raises(AssertionError, match="changed"):
        kinds.applied(empties, 2)


@pytest.mark.parametrize("spare", [0, 1])
def test_a_lent_qubit_must_be_left_as_it_was(spare) -> None:
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


def test_a_state_that_is_entangled_with_others_is_none() -> None:
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
    with pytest.raises(AssertionError, match="no reading"):
        kinds.one_reading([(zero, (zero, one)), (one, (zero, one))])


def test_arguments_may_not_be_changed() -> None:
    assert kinds.answer(sum, [1, 2]) == 3
    with pytest.raises(AssertionError, match="argument"):
        kinds.answer(list.clear, [1, 2])


def test_qubits_are_looked_at_through_measurements_and_conditions() -> None:
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
def test_a_qubit_that_was_not_named_may_not_be_touched(look) -> None:
    def touches(circuit: QuantumCircuit, qubits: list[int]) -> QuantumCircuit:
        circuit.h(range(len(qubits)))
        return circuit

    with pytest.raises(AssertionError):
        look(touches, 2)


def test_a_phase_that_the_circuit_had_may_not_be_lost() -> None:
    def resets(circuit: QuantumCircuit, _: list[int]) -> QuantumCircuit:
        circuit.global_phase = 0
        return circuit

    assert not np.allclose(kinds.applied(resets, 2), np.eye(4), atol=0.1)


def test_what_measurements_decide_is_allowed_where_nothing_comes_of_it() -> None:
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
    with pytest.raises(AssertionError, match="chance"):
        kinds.applied(measures, 2)


def test_a_name_of_the_library_is_its_own_operation_alone() -> None:
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
def test_what_is_no_truth_value_is_refused(value) -> None:
    with pytest.raises((AssertionError, ValueError)):
        kinds.truth(value)
    if value != 2:
        with pytest.raises((AssertionError, ValueError)):
            kinds.whole(value)


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


# which oracles there are


@pytest.mark.parametrize("folder", FOLDERS.values(), ids=FOLDERS)
def test_oracles_are_data_for_a_process_of_their_own(folder) -> None:
    for oracle in read(folder).values():
        assert "repair_bench.suites" not in oracle.source
        compile(oracle.source, "<oracle>", "exec")


def test_each_oracle_has_a_task_and_is_kept_from_the_candidate(tasks) -> None:
    assert set(tasks) == {task for folder in FOLDERS.values() for task in read(folder)}
    assert {task.oracle.sealed for task in tasks.values()} == {"stub"}
    assert {task.rule for task in tasks.values()} == {"semantic"}
    assert len(tasks) >= 105


def test_each_oracle_has_two_right_answers_to_accept(tasks) -> None:
    assert {task: len(answers) >= 2 for task, answers in RIGHT.items()} == dict.fromkeys(tasks, True)


def test_each_oracle_has_answers_of_people_who_had_not_read_it(tasks) -> None:
    made = Counter((answer.task, answer.label) for file in APART for answer in apart(file))
    assert {task for task, _ in made} == set(tasks)
    assert all(made[task, "right"] >= 2 and made[task, "wrong"] >= 3 for task in tasks)
    assert all(answer.why for file in APART for answer in apart(file) if answer.label == "wrong")


def test_each_weak_or_wrong_task_has_an_oracle_or_a_reason_why_there_is_none(tasks) -> None:
    doubtful = {task for errata in (katas_errata, humaneval_errata) for task in (*errata.WEAK, *errata.WRONG)}
    assert set(katas_errata.NO_ORACLE) == doubtful - set(tasks)


def test_the_published_test_is_the_default(datasets) -> None:
    suite = asyncio.run(load("quantum-katas", datasets, "exact"))
    assert {task.oracle for task in suite.tasks} == {None}
    assert {task.rule for task in suite.tasks} == {"exact"}


def test_a_suite_without_oracles_says_so() -> None:
    with pytest.raises(UsageError, match="aligned has no oracles: leave the rule semantic out"):
        asyncio.run(suites.load("aligned", rule="semantic"))


# what they accept


@pytest.mark.slow
def test_both_verdicts_are_told(tasks, executor) -> None:
    """A weak test passes a circuit that was left as it was; a test up to a phase refuses a right one."""
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
def test_oracles_of_three_kinds_refuse_blanks_and_referees(tasks, executor, task_id) -> None:
    task = by_oracle(tasks[task_id])
    programs = {**trivial_baselines(tasks[task_id]), **referees(tasks[task_id])}
    judged = dict(zip(programs, verdicts(executor, *((task, source) for source in programs.values())), strict=True))
    assert [name for name, verdict in judged.items() if verdict.kind == "pass"] == []


@pytest.mark.slow
def test_references_and_answers_made_otherwise_are_accepted(tasks, executor) -> None:
    answers = [(task, named(task, answer)) for task in tasks.values() for answer in RIGHT[task.id]]
    answers += [
        (task, task.reference or "")
        for task in tasks.values()
        if task.id not in {*WRONG_REFERENCES, *BROKEN_REFERENCES}
    ]
    found = verdicts(executor, *((by_oracle(task), answer) for task, answer in answers))
    refused = [
        (task.id, answer, v.evidence) for (task, answer), v in zip(answers, found, strict=True) if v.kind != "pass"
    ]
    assert refused == []


@pytest.mark.slow
@pytest.mark.parametrize("file", APART, ids=lambda file: file.stem)
def test_of_answers_made_apart_the_right_ones_alone_pass(tasks, executor, file) -> None:
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
