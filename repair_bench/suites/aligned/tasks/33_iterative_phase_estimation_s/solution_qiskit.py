from math import pi

from qiskit import QuantumCircuit


def ipe_s_gate(phi):
    qc = QuantumCircuit(2, 2)
    control, target = 0, 1
    qc.x(target)

    qc.h(control)
    qc.cp(2 * phi, control, target)
    qc.h(control)
    qc.measure(control, 0)

    qc.reset(control)
    qc.h(control)
    qc.cp(phi, control, target)
    with qc.if_test((qc.clbits[0], 1)):
        qc.p(-pi / 2, control)
    qc.h(control)
    qc.measure(control, 1)
    return qc
