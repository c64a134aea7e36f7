import cirq


def grover_3SAT():
    x = cirq.LineQubit.range(3)
    clauses = [(1, 2, 3), (-1, 2, 3), (-1, -2, -3), (-1, -2, 3), (1, 2, -3), (-1, 2, -3)]

    def oracle():
        # each clause is broken by exactly one assignment: flip the sign of that one
        for clause in clauses:
            ones = [x[abs(v) - 1] for v in clause if v > 0]
            yield cirq.X.on_each(*ones)
            yield cirq.CCZ(*x)
            yield cirq.X.on_each(*ones)

    circuit = cirq.Circuit(cirq.H.on_each(*x))
    circuit.append(oracle())
    circuit.append([cirq.H.on_each(*x), cirq.X.on_each(*x), cirq.CCZ(*x), cirq.X.on_each(*x), cirq.H.on_each(*x)])
    circuit.append(cirq.measure(*x, key="result"))
    return circuit
