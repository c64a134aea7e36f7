from qiskit import QuantumCircuit


def Qadd(b, carry_in):
    # qubit 0: carry; bit i of b in qubit 2i + 1, of a in qubit 2i + 2; qubit 7: carry out
    qc = QuantumCircuit(8, 7)
    if carry_in:
        qc.x(0)
    for i in range(3):
        if b >> i & 1:
            qc.x(2 * i + 1)
        qc.h(2 * i + 2)

    for i in range(3):
        carry, b_i, a_i = 2 * i, 2 * i + 1, 2 * i + 2
        qc.cx(a_i, b_i)
        qc.cx(a_i, carry)
        qc.ccx(carry, b_i, a_i)
    qc.cx(6, 7)
    for i in reversed(range(3)):
        carry, b_i, a_i = 2 * i, 2 * i + 1, 2 * i + 2
        qc.ccx(carry, b_i, a_i)
        qc.cx(a_i, carry)
        qc.cx(carry, b_i)

    qc.measure([6, 4, 2, 7, 5, 3, 1], range(7))
    return qc
