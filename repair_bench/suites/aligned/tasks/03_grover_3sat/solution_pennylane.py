import pennylane as qml


def grover_3SAT(clauses):
    for wire in range(3):
        qml.Hadamard(wires=wire)
    # oracle: flip the one assignment that each clause rules out, where all its literals are false
    for clause in clauses:
        ruled_out = [int(-variable in clause) for variable in (1, 2, 3)]
        qml.FlipSign(ruled_out, wires=[0, 1, 2])
    qml.GroverOperator(wires=[0, 1, 2])
