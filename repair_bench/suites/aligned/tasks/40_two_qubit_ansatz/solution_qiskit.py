from qiskit import QuantumCircuit


def VQE_2(parameters):
    p = parameters
    qc = QuantumCircuit(2)
    qc.x(0)
    qc.rz(p[0], 0)
    qc.rz(p[1], 0)
    qc.ry(p[2], 0)
    qc.rz(p[3], 1)
    qc.cx(0, 1)
    qc.rz(p[4], 0)
    qc.rz(p[5], 1)
    qc.ry(p[6], 0)
    qc.rz(p[7], 1)
    return qc
