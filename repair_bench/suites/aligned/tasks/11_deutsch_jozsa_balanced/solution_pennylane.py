import pennylane as qml


def Deutsch_Jozsa_Balance_4(flips):
    flipped = [wire for wire, bit in enumerate(flips) if bit == "1"]
    qml.X(4)
    qml.Hadamard(wires=4)
    for wire in range(4):
        qml.Hadamard(wires=wire)
    # oracle
    for wire in flipped:
        qml.X(wire)
    for wire in range(4):
        qml.CNOT(wires=[wire, 4])
    for wire in flipped:
        qml.X(wire)
    for wire in range(4):
        qml.Hadamard(wires=wire)
