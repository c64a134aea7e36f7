import pennylane as qml


def grover_search_oracle_00(marked):
    qml.Hadamard(wires=0)
    qml.Hadamard(wires=1)
    qml.FlipSign([int(bit) for bit in marked], wires=[0, 1])
    qml.GroverOperator(wires=[0, 1])
