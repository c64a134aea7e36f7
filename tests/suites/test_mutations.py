"""Mutants run and behave differently; inserted mistakes fail. Both are tested on idiomatic programs."""

import ast
import json
import tomllib
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampled import sampled

import repair_bench.suites
from repair_bench.suites.mutations import KINDS, mutants
from repair_bench.suites.mutations.mistakes import CERTAIN, MISTAKES, plant

FRAMEWORKS = ("qiskit", "pennylane", "cirq")
TASKS = Path(repair_bench.suites.__file__).parent / "aligned" / "tasks"
SOLUTIONS = sorted(TASKS.glob("*/solution_*.py"))

QISKIT = '''
"""A docstring with 01 in it."""
from __future__ import annotations

from math import pi

from qiskit import QuantumCircuit
from qiskit.circuit.library import QFTGate, RYGate


def f(secret="01", angle=0.5, other=0.25):
    qc = QuantumCircuit(3, 2)
    qc.h(0)
    qc.cx(0, 1)
    qc.rz(-angle, 1)
    qc.cp(pi / 2 ** other, 0, 2)
    for i in range(2):
        if secret[i] == "1":
            qc.ccx(0, 1, 2)
    qc.append(RYGate(angle).control(1, ctrl_state="0"), [0, 1])
    qc.append(QFTGate(3).inverse(), range(3))
    qc.measure([0, 1], [0, 1])
    return qc
'''

PENNYLANE = """
import numpy as np
import pennylane as qml


def f(angle=0.5, other=0.25):
    dev = qml.device("default.qubit", wires=3)

    @qml.qnode(dev)
    def circuit():
        qml.Hadamard(wires=0)
        qml.RX(angle, wires=1)
        qml.RY(phi=other * 2, wires=2)
        qml.CNOT(wires=[0, 1])
        qml.ctrl(qml.S, control=0)(wires=1)
        qml.adjoint(qml.QFT)(wires=[0, 1, 2])
        return qml.probs(wires=[0, 1])

    return circuit()
"""

CIRQ = """
import cirq


def f(angle=0.5, bits="01"):
    a, b, c = cirq.LineQubit.range(3)
    qubits = [a, b, c]
    circuit = cirq.Circuit(cirq.H(a), cirq.CNOT(a, b))
    circuit.append([cirq.rx(angle)(b), cirq.X.controlled()(a, c)])
    circuit.append(cirq.H.on_each(a, b))
    circuit += cirq.CZ(a, b) ** 0.5
    circuit.append(cirq.measure(*qubits, key="result"))
    return circuit
"""

SOURCES = {"qiskit": QISKIT, "pennylane": PENNYLANE, "cirq": CIRQ}


def framework_of(path: Path) -> str:
    return path.stem.removeprefix("solution_")


def changed_lines(source: str, mutated: str) -> str:
    before = ast.unparse(ast.parse(source)).splitlines()
    after = mutated.splitlines()
    return " / ".join(line.strip() for line in after if line not in before)


def has(framework: str, kind: str, line: str) -> bool:
    source = SOURCES[framework]
    return any(line == changed_lines(source, mutant.source) for mutant in mutants(source, framework, [kind]))


@pytest.mark.parametrize(
    ("framework", "kind", "line"),
    [
        ("qiskit", "gate_replaced", "qc.cz(0, 1)"),
        ("qiskit", "control_target_swapped", "qc.cx(1, 0)"),
        ("qiskit", "control_target_swapped", "qc.ccx(0, 2, 1)"),
        ("qiskit", "qubits_permuted", "qc.cx(2, 1)"),
        ("qiskit", "qubits_permuted", "qc.append(QFTGate(3).inverse(), range(3)[::-1])"),
        ("qiskit", "qubits_permuted", "qc.append(RYGate(angle).control(1, ctrl_state='0'), [1, 0])"),
        ("qiskit", "angle_negated", "qc.rz(angle, 1)"),
        ("qiskit", "angle_negated", "qc.append(RYGate(-angle).control(1, ctrl_state='0'), [0, 1])"),
        ("qiskit", "angle_halved", "qc.cp(pi / 2 ** other / 2, 0, 2)"),
        ("qiskit", "inverse_forgotten", "qc.append(QFTGate(3), range(3))"),
        ("qiskit", "bits_reversed", "qc.measure([0, 1], [1, 0])"),
        ("qiskit", "bits_reversed", "return qc.reverse_bits()"),
        ("qiskit", "measurement_dropped", "qc.measure([0], [0])"),
        ("qiskit", "loop_bound_off", "for i in range(1):"),
        ("qiskit", "constant_changed", "if secret[i] == '0':"),
        ("qiskit", "constant_changed", "qc.cp(pi / 3 ** other, 0, 2)"),
        ("qiskit", "comparison_flipped", "if secret[i] != '1':"),
        ("qiskit", "operator_changed", "qc.cp(pi * 2 ** other, 0, 2)"),
        ("qiskit", "option_forgotten", "qc.append(RYGate(angle).control(1), [0, 1])"),
        ("qiskit", "wrong_input_used", "if secret[::-1][i] == '1':"),
        ("qiskit", "wrong_input_used", "qc.cp(pi / 2 ** angle, 0, 2)"),
        ("qiskit", "wrong_input_used", "qc.cp(pi / 2 ** 0, 0, 2)"),
        ("pennylane", "gate_replaced", "qml.CZ(wires=[0, 1])"),
        ("pennylane", "gate_replaced", "qml.RY(angle, wires=1)"),
        ("pennylane", "control_target_swapped", "qml.CNOT(wires=[1, 0])"),
        ("pennylane", "control_target_swapped", "qml.ctrl(qml.S, control=1)(wires=0)"),
        ("pennylane", "qubits_permuted", "qml.RX(angle, wires=2)"),
        ("pennylane", "qubits_permuted", "qml.adjoint(qml.QFT)(wires=[2, 1, 0])"),
        ("pennylane", "angle_negated", "qml.RX(-angle, wires=1)"),
        ("pennylane", "angle_halved", "qml.RY(phi=other * 2 / 2, wires=2)"),
        ("pennylane", "inverse_forgotten", "qml.QFT(wires=[0, 1, 2])"),
        ("pennylane", "bits_reversed", "return qml.probs(wires=[1, 0])"),
        ("pennylane", "measurement_dropped", "return qml.probs(wires=[0])"),
        ("pennylane", "wrong_input_used", "qml.RX(other, wires=1)"),
        ("cirq", "gate_dropped", "circuit = cirq.Circuit(cirq.CNOT(a, b))"),
        ("cirq", "gate_dropped", "circuit.append([cirq.X.controlled()(a, c)])"),
        ("cirq", "gate_dropped", "circuit.append(cirq.H.on_each(a))"),
        ("cirq", "gate_doubled", "circuit = cirq.Circuit(cirq.H(a), cirq.H(a), cirq.CNOT(a, b))"),
        ("cirq", "gates_exchanged", "circuit = cirq.Circuit(cirq.CNOT(a, b), cirq.H(a))"),
        ("cirq", "gate_replaced", "circuit.append([cirq.ry(angle)(b), cirq.X.controlled()(a, c)])"),
        ("cirq", "gate_replaced", "circuit.append(cirq.X.on_each(a, b))"),
        ("cirq", "control_target_swapped", "circuit.append([cirq.rx(angle)(b), cirq.X.controlled()(c, a)])"),
        ("cirq", "qubits_permuted", "a, b, c = cirq.LineQubit.range(3)[::-1]"),
        ("cirq", "angle_negated", "circuit.append([cirq.rx(-angle)(b), cirq.X.controlled()(a, c)])"),
        ("cirq", "angle_halved", "circuit += cirq.CZ(a, b) ** (0.5 / 2)"),
        ("cirq", "bits_reversed", "circuit.append(cirq.measure(*qubits[::-1], key='result'))"),
        ("cirq", "option_forgotten", "circuit.append(cirq.measure(*qubits))"),
    ],
)
def test_the_idioms_of_each_framework_are_recognised(framework, kind, line):
    assert has(framework, kind, line)


def test_a_symmetric_gate_has_no_control_to_swap():
    source = "def f(qc):\n    qc.cz(0, 1)\n    qc.swap(0, 1)\n    return qc\n"
    assert list(mutants(source, "qiskit", ["control_target_swapped"])) == []
    assert not any("(1, 0)" in mutant.source for mutant in mutants(source, "qiskit", ["qubits_permuted"]))


def test_gates_without_a_common_qubit_are_not_exchanged():
    source = "def f(qc):\n    qc.h(0)\n    qc.x(1)\n    qc.cx(0, 1)\n    return qc\n"
    found = [mutant.description for mutant in mutants(source, "qiskit", ["gates_exchanged"])]
    assert found == ["qc.x(1) after qc.cx(0, 1)"]


def test_the_only_statement_of_a_body_is_replaced_by_pass():
    [mutant] = mutants("def f(qc):\n    for i in x:\n        qc.h(i)\n", "qiskit", ["gate_dropped"])
    assert "pass" in mutant.source


def test_register_sizes_are_not_changed():
    source = "def f():\n    qc = QuantumCircuit(2, 2)\n    return qc\n"
    assert list(mutants(source, "qiskit", ["constant_changed"])) == []


def test_single_measurements_are_reversed_together():
    source = (
        "def f(qc):\n    qc.measure(a, 0)\n    qc.measure(b, 1)\n    for i in range(4):\n        qc.measure(i, i)\n"
    )
    both, loop = mutants(source, "qiskit", ["bits_reversed"])
    assert "qc.measure(a, 1)" in both.source
    assert "qc.measure(b, 0)" in both.source
    assert "qc.measure(i, 4 - 1 - i)" in loop.source


GATES = {
    "qiskit": ["qc.h({a})", "qc.cx({a}, {b})", "qc.rx({t}, {a})", "qc.cz({a}, {b})", "qc.measure({a}, {a})"],
    "pennylane": ["qml.Hadamard(wires={a})", "qml.CNOT(wires=[{a}, {b}])", "qml.RX({t}, wires={a})", "qml.S({a})"],
    "cirq": [
        "c.append(cirq.H(q[{a}]))",
        "c += [cirq.CNOT(q[{a}], q[{b}]), cirq.X(q[{a}])]",
        "c += cirq.rx({t})(q[{a}])",
    ],
}
IMPORTS = {
    "qiskit": "from qiskit import QuantumCircuit",
    "pennylane": "import pennylane as qml",
    "cirq": "import cirq",
}


@st.composite
def programs(draw):
    framework = draw(st.sampled_from(FRAMEWORKS))
    lines = []
    for _ in range(draw(st.integers(1, 5))):
        a, b = draw(st.permutations(range(3)))[:2]
        angle = draw(st.sampled_from(["theta", "-theta", "theta / 2", "0.5", "np.pi"]))
        gate = draw(st.sampled_from(GATES[framework])).format(a=a, b=b, t=angle)
        block = draw(st.sampled_from(["", "for i in range(n):", "if theta > 0.1:", "while not n:"]))
        lines += [f"    {block}", f"        {gate}"] if block else [f"    {gate}"]
    return framework, "\n".join([IMPORTS[framework], "def f(theta, n):", *lines, "    return c", ""])


@pytest.mark.slow
@given(programs())
@settings(max_examples=30, deadline=None)
def test_every_mutant_compiles_and_differs(program):
    framework, source = program
    found = list(mutants(source, framework))
    forms = {ast.dump(ast.parse(mutant.source)) for mutant in found}
    assert found
    assert ast.dump(ast.parse(source)) not in forms
    assert len(forms) == len(found)
    lines = source.count("\n")
    for mutant in found:
        compile(mutant.source, "mutant", "exec")
        assert mutant.kind in KINDS
        assert mutant.description
        assert 1 <= mutant.line <= lines


@pytest.mark.slow
@given(programs())
@settings(max_examples=10, deadline=None)
def test_mutants_have_a_fixed_order_and_can_be_filtered_by_kind(program):
    framework, source = program
    everything = list(mutants(source, framework))
    assert everything == list(mutants(source, framework))
    some = ["gate_dropped", "angle_negated"]
    chosen = [mutant for mutant in everything if mutant.kind in some]
    assert list(mutants(source, framework, some)) == chosen


def test_an_invalid_program_raises_a_syntax_error():
    with pytest.raises(SyntaxError):
        next(mutants("def f(:", "qiskit"))


@pytest.mark.slow
def test_each_built_in_solution_has_ten_mutants():
    few = {
        f"{path.parent.name}/{path.name}": count
        for path in SOLUTIONS
        if (count := len(list(islice(mutants(path.read_text(), framework_of(path)), 10)))) < 10
    }
    assert SOLUTIONS
    assert few == {}


@pytest.mark.slow
def test_the_published_solutions_have_ten_mutants(datasets):
    lines = (datasets / "quanbench-plus" / "qiskit.jsonl").read_text().splitlines()
    solutions = {task["task_id"]: task["canonical_solution"] for task in map(json.loads, lines)}
    few = [name for name, source in solutions.items() if len(list(islice(mutants(source, "qiskit"), 10))) < 10]
    assert few == ["03"]  # it calls a library function that implements the algorithm


@pytest.mark.slow
def test_the_references_of_unit_test_suites_have_mutants(datasets):
    lines = (datasets / "quantum-katas" / "quantum_katas.jsonl").read_text().splitlines()
    tasks = json.loads((datasets / "qiskit-humaneval" / "dataset_qiskit_test_human_eval.json").read_text())
    sources = [task["canonical_solution"] for task in map(json.loads, lines)]
    sources += [task["prompt"] + task["canonical_solution"] for task in tasks]
    counts = [len(list(mutants(source, "qiskit"))) for source in sampled(sources, 4)]
    assert min(counts) >= 1
    assert sum(count >= 5 for count in counts) > 0.9 * len(counts)


def failure(source: str, entry_point: str = "f", args=()) -> str | None:
    """Return the type of the exception that a call raises, or None."""
    namespace: dict[str, object] = {}
    try:
        exec(compile(source, "candidate", "exec"), namespace)
        namespace[entry_point](*args)  # type: ignore[operator]
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what the test asks for
        return type(error).__name__
    return None


FAILURES = {
    "moved_import": {"ImportError", "ModuleNotFoundError"},
    "wrong_import": {"ModuleNotFoundError"},
    "forgotten_import": {"NameError"},
    "undefined_name": {"NameError"},
    "undefined_global": {"NameError"},
    "missing_attribute": {"AttributeError"},
    "wrong_arguments": {"TypeError", "ValueError"},
    "qubit_out_of_range": {"CircuitError", "WireError", "IndexError"},
    "syntax_error": {"SyntaxError"},
    "wrong_entry_point": {"KeyError"},  # of the namespace: the function is missing
    "prose": {"SyntaxError"},
}


@pytest.mark.parametrize("name", MISTAKES)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_each_mistake_causes_its_kind_of_failure(framework, name):
    assert failure(SOURCES[framework]) is None
    for variant in range(5):
        assert failure(plant(name, SOURCES[framework], framework, "f", variant)) in FAILURES[name]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_program_without_gates_can_be_made_to_fail(framework):
    bodies = ("\n    return 1\n", " return 1\n", "\n    'Says.'\n    if x:\n        return 1\n    return 2\n")
    for source in (f"def f(x=1):{body}" for body in bodies):
        assert failure(source) is None
        assert [name for name in MISTAKES if failure(plant(name, source, framework, "f")) not in FAILURES[name]] == []


@pytest.mark.parametrize("name", CERTAIN)
def test_a_certain_mistake_fails_before_any_call(name):
    for framework in FRAMEWORKS:
        for variant in range(5):
            with pytest.raises((ImportError, NameError, SyntaxError)):
                exec(compile(plant(name, SOURCES[framework], framework, "f", variant), "candidate", "exec"), {})


def test_a_mistake_keeps_the_rest_of_the_text():
    mistaken = plant("missing_attribute", CIRQ, "cirq", "f")
    assert mistaken == CIRQ.replace("cirq.H(a)", "cirq.HADAMARD(a)", 1)


@pytest.mark.slow
@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_planted_mistakes_fail_in_every_built_in_solution(path):
    framework = framework_of(path)
    task = tomllib.loads((path.parent / "task.toml").read_text())
    args = task.get("case", [{"args": []}])[0]["args"]
    for name in MISTAKES:
        setup: dict[str, object] = {}
        exec(task.get("inputs", {}).get(framework, ""), setup)
        fresh = setup["inputs"](*args) if "inputs" in setup else args  # type: ignore[operator]
        mistaken = plant(name, path.read_text(), framework, task["entry_point"])
        assert failure(mistaken, task["entry_point"], fresh) in FAILURES[name]
