from qiskit import QuantumCircuit


def VQE_Z2(param):
    p = param
    qc = QuantumCircuit(2)
    qc.h([0, 1])
    qc.u(p[0], p[1], p[2], 0)
    qc.u(p[3], p[4], p[5], 1)
    qc.cx(0, 1)
    qc.ry(p[6], 0)
    qc.ry(p[7], 1)
    return qc
