import pennylane as qml


def CX_gate_decompose_Clifford():
    # SX takes Z to -Y under conjugation and S takes -Y to X: CZ becomes CX
    qml.adjoint(qml.S)(wires=1)
    qml.adjoint(qml.SX)(wires=1)
    qml.CZ(wires=[0, 1])
    qml.SX(wires=1)
    qml.S(wires=1)
