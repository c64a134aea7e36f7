"""Small random circuits with mid-circuit measurements, and their outcomes by density matrices in NumPy.

A circuit is a list of steps on 3 qubits and 3 classical bits:
("h", q), ("t", q), ("ry", angle, q), ("cx", a, b), ("measure", q, c), ("reset", q), ("x_if", c, q).
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from hypothesis import strategies as st

QUBITS = 3
BITS = 3

_qubit = st.integers(0, QUBITS - 1)
_bit = st.integers(0, BITS - 1)
_pair = st.permutations(range(QUBITS)).map(lambda order: tuple(order[:2]))
_step = st.one_of(
    st.tuples(st.just("h"), _qubit),
    st.tuples(st.just("t"), _qubit),
    st.tuples(st.just("ry"), st.sampled_from([0.3, 1.1, 2.5]), _qubit),
    _pair.map(lambda pair: ("cx", *pair)),
    st.tuples(st.just("measure"), _qubit, _bit),
    st.tuples(st.just("reset"), _qubit),
    st.tuples(st.just("x_if"), _bit, _qubit),
)


def _with_measurements(steps: list[Any]) -> list[Any]:
    """Measure every bit before it may be a condition: not all frameworks accept unwritten bits."""
    return [("h", 0), *[("measure", q, q) for q in range(QUBITS)], ("h", 1), *steps]


circuits = st.lists(_step, max_size=10).map(_with_measurements)

_H = np.array([[1, 1], [1, -1]]) / np.sqrt(2)
_X = np.array([[0, 1], [1, 0]])
_P = [np.diag([1, 0]), np.diag([0, 1])]


def distribution(steps: list[Any]) -> dict[tuple[int, ...], float]:
    """Return the probabilities of the three classical bits, bit 0 first."""
    rho = np.zeros((2**QUBITS, 2**QUBITS), dtype=complex)
    rho[0, 0] = 1
    memories = {(0,) * BITS: rho}
    for step in steps:
        after: dict[tuple[int, ...], np.ndarray] = {}
        for memory, state in memories.items():
            for new_memory, operators in _step_of(step, memory):
                part = sum(op @ state @ op.conj().T for op in operators)
                after[new_memory] = after.get(new_memory, 0) + part
        memories = after
    return {m: float(np.trace(state).real) for m, state in memories.items() if np.trace(state).real > 1e-12}


def _step_of(step: Any, memory: tuple[int, ...]) -> list[tuple[tuple[int, ...], list[np.ndarray]]]:
    name, *rest = step
    if name == "measure":
        qubit, bit = rest
        return [((*memory[:bit], v, *memory[bit + 1 :]), [_on({qubit: _P[v]})]) for v in (0, 1)]
    if name == "reset":
        return [(memory, [_on({rest[0]: _P[0]}), _on({rest[0]: _X @ _P[1]})])]
    if name == "x_if":
        return [(memory, [_on({rest[1]: _X} if memory[rest[0]] else {})])]
    if name == "cx":
        control, target = rest
        return [(memory, [_on({control: _P[0]}) + _on({control: _P[1], target: _X})])]
    if name == "ry":
        c, s = np.cos(rest[0] / 2), np.sin(rest[0] / 2)
        return [(memory, [_on({rest[1]: np.array([[c, -s], [s, c]])})])]
    return [(memory, [_on({rest[0]: _H if name == "h" else np.diag([1, np.exp(0.25j * np.pi)])})])]


def _on(factors: dict[int, np.ndarray]) -> np.ndarray:
    return reduce(np.kron, [factors.get(q, np.eye(2)) for q in range(QUBITS)])


def in_qiskit(steps: list[Any]) -> Any:
    from qiskit import QuantumCircuit

    qc = QuantumCircuit(QUBITS, BITS)
    for name, *rest in steps:
        if name == "x_if":
            with qc.if_test((qc.clbits[rest[0]], 1)):
                qc.x(rest[1])
        else:
            getattr(qc, name)(*rest)
    return qc


def in_cirq(steps: list[Any]) -> Any:
    """Return a circuit. Each bit's last measurement has the key "0", "1" or "2"; earlier ones have longer keys."""
    import cirq

    q = cirq.LineQubit.range(QUBITS)
    total = [sum(step[0] == "measure" and step[2] == bit for step in steps) for bit in range(BITS)]
    done = [0] * BITS
    key = [""] * BITS
    circuit = cirq.Circuit()
    for name, *rest in steps:
        if name == "measure":
            qubit, bit = rest
            done[bit] += 1
            key[bit] = str(bit) if done[bit] == total[bit] else f"{bit}-{done[bit]}"
            circuit.append(cirq.measure(q[qubit], key=key[bit]))
        elif name == "x_if":
            circuit.append(cirq.X(q[rest[1]]).with_classical_controls(key[rest[0]]))
        elif name == "ry":
            circuit.append(cirq.ry(rest[0])(q[rest[1]]))
        elif name == "cx":
            circuit.append(cirq.CNOT(q[rest[0]], q[rest[1]]))
        else:
            circuit.append({"h": cirq.H, "t": cirq.T, "reset": cirq.R}[name](q[rest[0]]))
    return circuit


def in_pennylane(steps: list[Any]) -> Any:
    """Return a QNode that returns a sample of each bit."""
    import pennylane as qml

    def circuit() -> Any:
        bits: list[Any] = [None] * BITS
        for name, *rest in steps:
            if name == "measure":
                bits[rest[1]] = qml.measure(rest[0])
            elif name == "reset":
                qml.measure(rest[0], reset=True)
            elif name == "x_if":
                qml.cond(bits[rest[0]], qml.PauliX)(rest[1])
            elif name == "ry":
                qml.RY(rest[0], wires=rest[1])
            elif name == "cx":
                qml.CNOT(wires=rest)
            else:
                {"h": qml.Hadamard, "t": qml.T}[name](rest[0])
        return [qml.sample(bit) for bit in bits]

    return circuit
