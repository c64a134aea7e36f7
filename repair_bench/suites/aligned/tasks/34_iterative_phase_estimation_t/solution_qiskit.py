from math import pi

from qiskit import QuantumCircuit


def ipe_t_gate(phi):
    qc = QuantumCircuit(2, 3)
    control, target = 0, 1
    qc.x(target)
    for k in range(3):
        qc.reset(control)
        qc.h(control)
        qc.cp(2 ** (2 - k) * phi, control, target)
        for j in range(k):
            with qc.if_test((qc.clbits[j], 1)):
                qc.p(-pi / 2 ** (k - j), control)
        qc.h(control)
        qc.measure(control, k)
    return qc
