import cirq


def controlled_grover(control, system):
    # I - 2|00><00|
    yield cirq.X.on_each(system)
    yield cirq.CCZ(control, *system)
    yield cirq.X.on_each(system)
    # I - 2|s><s|, and the sign of 2|s><s| - I as a Z on the control
    yield cirq.H.on_each(system)
    yield cirq.X.on_each(system)
    yield cirq.CCZ(control, *system)
    yield cirq.X.on_each(system)
    yield cirq.H.on_each(system)
    yield cirq.Z(control)


def qpe_grover00_gate(alpha, beta):
    q = cirq.LineQubit.range(5)
    phase, system = q[:3], q[3:]
    circuit = cirq.Circuit(cirq.rx(alpha)(q[3]), cirq.ry(beta)(q[4]), cirq.H.on_each(phase))
    for control, power in [(q[0], 4), (q[1], 2), (q[2], 1)]:
        for _ in range(power):
            circuit.append(controlled_grover(control, system))
    circuit.append(cirq.qft(*phase, inverse=True))
    circuit.append(cirq.measure(*phase, key="result"))
    return circuit
