import cirq


def qpe_x_gate(power, eigenstate):
    *counting, target = cirq.LineQubit.range(4)
    circuit = cirq.Circuit()
    if eigenstate == "-":
        circuit += cirq.X(target)
    circuit += cirq.H(target)
    circuit += cirq.H.on_each(*counting)
    for i, control in enumerate(counting):
        circuit += cirq.CNOT(control, target) ** (power * 2 ** (2 - i))
    circuit += cirq.qft(*counting, inverse=True)
    circuit += cirq.measure(*counting, key="result")
    return circuit
