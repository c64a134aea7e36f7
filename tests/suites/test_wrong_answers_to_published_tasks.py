"""Wrong answers to Qiskit HumanEval that fail here, although they pass the published test in a plain process."""

from pathlib import Path
from textwrap import dedent

import pytest

from repair_bench import suites
from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.grading.judge import Judge
from repair_bench.suites.task import Task

NUMBERS = """
import numpy as np
big = complex(1.7e308, 1.7e308)

def after(first, *shape):
    found = np.full(shape, big)
    found.reshape(-1)[: len(first)] = first
    return found
"""
"""`after`: the numbers up to the one that determines the phase, followed by large ones."""
GATES = "from qiskit import *\nfrom qiskit.circuit import Gate, Instruction\nfrom qiskit.quantum_info import *\n"
WRONG = {
    "78, by overflow": "def answer(n): return Operator(np.full((2**n, 2**n), big))",
    "4, by overflow": "def answer(): return after([0, 0, 0, 1], 4, 4)",
    "11, by overflow": "def answer(circuit): return Statevector(after(Statevector(circuit).data[:1], 4), dims=(2, 2))",
    "12, by overflow": "def answer(): return after([0.5**0.5], 4, 4)",
    "90, by overflow": "def answer(): return Operator(after([1], 16, 16))",
    "11, by its argument": """
        def answer(circuit):
            circuit.clear()
            return Statevector(circuit)
    """,
    "11, by its argument's gates": """
        def answer(circuit):
            circuit.data = circuit.data[:0]
            return Statevector([1, 0, 0, 0], dims=(2, 2))
    """,
    "17, by its argument": """
        def answer(circuit):
            circuit.clear()
            return circuit
    """,
    "77, by its argument": """
        def answer(distribution):
            size = max(distribution).bit_length() or 1
            distribution.clear()
            return QuantumCircuit(size)
    """,
    "94, by its argument": """
        def answer(circuit):
            from qiskit import qasm3
            circuit.clear()
            return qasm3.dumps(QuantumCircuit(2, 2))
    """,
    "120, by its argument": """
        def answer(diagonal):
            diagonal[:] = [1, 1, 1, 1]
            return QuantumCircuit(2)
    """,
    "66, by a name": """
        def answer():
            circuit = QuantumCircuit(3)
            circuit.h([0, 1, 2])
            part = (8 / 3) ** 0.5
            circuit.append(Instruction("diagonal", 3, 0, [0.0, part, part, 0.0, part, 0.0, 0.0, 0.0]), [0, 1, 2])
            circuit.measure_all()
            return circuit
    """,
    "66, by a state": """
        def answer():
            circuit = QuantumCircuit(3)
            part = 3**-0.5
            state = Instruction("set_statevector", 3, 0, [])
            state._params = [(0.0, part, part, 0.0, part, 0.0, 0.0, 0.0)]
            circuit._append(state, circuit.qubits, [])
            circuit.measure_all()
            return circuit
    """,
}


@pytest.fixture(scope="module")
def tasks(datasets: Path) -> dict[str, Task]:
    suite = run_to_end(suites.load("qiskit-humaneval", data=datasets / "qiskit-humaneval"))
    return {task.id.rpartition("/")[2]: task for task in suite.tasks}


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_answer_fails(tasks: dict[str, Task], executor: LocalExecutor, name: str) -> None:
    task = tasks[name.split(",", maxsplit=1)[0]]
    if task.excluded is not None:
        pytest.skip(task.excluded)
    code = NUMBERS + GATES + dedent(WRONG[name]) + f"\n{task.entry_point} = answer\n"
    verdict = run_to_end(Judge(executor).code(task, code)).verdict
    assert verdict.sealed == "stub"
    assert verdict.kind == "wrong_answer"
