import pennylane as qml


def Bernstein_Vazirani_011(a):
    qml.X(3)
    for wire in range(4):
        qml.Hadamard(wires=wire)
    for wire, bit in enumerate(a):
        if bit == "1":
            qml.CNOT(wires=[wire, 3])
    for wire in range(3):
        qml.Hadamard(wires=wire)
