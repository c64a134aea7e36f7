from qiskit import QuantumCircuit


def CX_gate_decompose_Clifford():
    qc = QuantumCircuit(2)
    # SX takes Z to -Y under conjugation and S takes -Y to X: CZ becomes CX
    qc.sdg(1)
    qc.sxdg(1)
    qc.cz(0, 1)
    qc.sx(1)
    qc.s(1)
    return qc
