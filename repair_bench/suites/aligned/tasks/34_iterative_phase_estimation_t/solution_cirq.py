import cirq


def ipe_t_gate(phi):
    # a fresh control in each round
    *controls, target = cirq.LineQubit.range(4)
    circuit = cirq.Circuit(cirq.X(target))
    for k, control in enumerate(controls):
        circuit.append(cirq.H(control))
        circuit.append(cirq.cphase(2 ** (2 - k) * phi)(control, target))
        for j in range(k):
            correction = cirq.Z ** (-1 / 2 ** (k - j))
            circuit.append(correction(control).with_classical_controls(f"m{j}"))
        circuit.append(cirq.H(control))
        circuit.append(cirq.measure(control, key=f"m{k}"))
    circuit.append(cirq.measure(*controls, key="result"))
    return circuit
