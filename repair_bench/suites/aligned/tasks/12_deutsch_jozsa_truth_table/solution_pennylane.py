import pennylane as qml


def Deutsch_Jozsa_Constant_4(truth_table):
    dev = qml.device("default.qubit", wires=5)

    @qml.qnode(dev)
    def circuit():
        qml.X(4)
        for wire in range(5):
            qml.Hadamard(wires=wire)
        for x, value in enumerate(truth_table):
            if value == "1":
                bits = [int(bit) for bit in format(x, "04b")]
                qml.MultiControlledX(wires=range(5), control_values=bits)
        for wire in range(4):
            qml.Hadamard(wires=wire)
        return qml.state()

    return circuit()
