from qiskit import QuantumCircuit


def QSub(angles):
    qc = QuantumCircuit(7)
    a2, a1, a0, b2, b1, b0, carry = range(7)
    for qubit, angle in enumerate(angles):
        qc.ry(angle, qubit)

    # a - b = NOT(NOT a + b)
    qc.x([a0, a1, a2])
    qc.cx(a2, b2)
    qc.ccx(a0, b0, carry)
    # the carry into the top bit is a1 b1 XOR (a1 XOR b1) carry
    qc.ccx(a1, b1, b2)
    qc.cx(a1, b1)
    qc.ccx(b1, carry, b2)
    qc.cx(carry, b1)
    qc.ccx(a0, b0, carry)
    qc.cx(a0, b0)
    qc.x([a0, a1, a2, b0, b1, b2])
    return qc
