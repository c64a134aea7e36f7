import pennylane as qml


def VQE_2(parameters):
    p = parameters
    qml.X(0)
    qml.RZ(p[0], wires=0)
    qml.RZ(p[1], wires=0)
    qml.RY(p[2], wires=0)
    qml.RZ(p[3], wires=1)
    qml.CNOT(wires=[0, 1])
    qml.RZ(p[4], wires=0)
    qml.RZ(p[5], wires=1)
    qml.RY(p[6], wires=0)
    qml.RZ(p[7], wires=1)
