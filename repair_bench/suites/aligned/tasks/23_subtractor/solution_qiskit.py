from qiskit import QuantumCircuit


def QSub(angles):
    qc = QuantumCircuit(8, 3)
    # least significant bit first
    a, b, carry = [2, 1, 0], [5, 4, 3], [6, 7]
    for qubit, angle in enumerate(angles):
        qc.ry(angle, qubit)

    # a - b = NOT(NOT a + b), and the sum replaces b
    qc.x(a)
    qc.ccx(a[0], b[0], carry[0])
    qc.cx(a[0], b[0])
    qc.ccx(a[1], b[1], carry[1])
    qc.cx(a[1], b[1])
    qc.ccx(b[1], carry[0], carry[1])
    qc.cx(carry[0], b[1])
    qc.cx(a[2], b[2])
    qc.cx(carry[1], b[2])
    qc.x(b)

    qc.measure([3, 4, 5], [0, 1, 2])
    return qc
