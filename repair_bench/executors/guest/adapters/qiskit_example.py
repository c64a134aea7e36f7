"""Example programs that build and inspect Qiskit circuits in common ways. The fork server runs these programs to warm
up.
"""

import numpy as np
from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister
from qiskit.circuit.library import QFT, PhaseGate, RYGate, UnitaryGate, XGate
from qiskit.quantum_info import Operator, Statevector


def oracle():
    inner = QuantumCircuit(3, name="oracle")
    inner.x(0)
    inner.ccx(0, 1, 2)
    inner.mcx([0, 1], 2)
    inner.x(0)
    return inner


def circuit():
    a, b = QuantumRegister(2, "a"), QuantumRegister(2, "b")
    qc = QuantumCircuit(a, b)
    qc.h(a)
    qc.x(b[0])
    qc.barrier()
    for gate in (qc.y, qc.z, qc.s, qc.sdg, qc.t, qc.tdg):
        gate(a[1])
    for gate in (qc.rx, qc.ry, qc.rz, qc.p):
        gate(np.pi / 3, b[1])
    qc.cx(a[0], b[0])
    qc.cz(0, 1)
    qc.cp(np.pi / 4, 1, 2)
    qc.cry(0.3, 0, 3)
    qc.swap(2, 3)
    qc.append(oracle().to_gate(), [0, 1, 2])
    qc.append(XGate().control(2, ctrl_state=1), [0, 1, 2])
    qc.append(RYGate(0.2).control(1), [1, 2])
    qc.append(PhaseGate(0.1), [0])
    qc.append(UnitaryGate(np.eye(2)[::-1]), [0])
    qc.compose(QFT(2).decompose(), [0, 1], inplace=True)
    qc.compose(oracle().inverse(), [0, 1, 2], inplace=True)
    return qc


def distribution():
    qc = QuantumCircuit(4, 2)
    qc.compose(circuit(), inplace=True)
    qc.add_register(ClassicalRegister(1, "d"))
    qc.measure(0, 0)
    with qc.if_test((qc.clbits[0], 1)):
        qc.x(1)
    qc.reset(2)
    qc.measure([1, 2], [1, 2])
    qc.copy().measure_all()
    return qc


def state():
    qc = circuit()
    vector = Statevector.from_instruction(qc)
    assert np.allclose(np.abs(vector.data) ** 2, vector.probabilities())
    assert vector.equiv(Statevector(vector.data))
    vector.probabilities_dict()
    vector.evolve(XGate(), [0])
    return qc


def unitary():
    qc = circuit()
    matrix = Operator(qc)
    assert matrix.equiv(Operator(matrix.data))
    assert matrix.is_unitary()
    qc.depth(), qc.count_ops(), qc.size(), qc.width(), [step.operation.name for step in qc.data]
    return qc
