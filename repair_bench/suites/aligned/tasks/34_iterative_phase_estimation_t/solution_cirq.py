import cirq


def ipe_t_gate(phi):
    control, target = cirq.LineQubit.range(2)
    circuit = cirq.Circuit(cirq.X(target))
    for k in range(3):
        circuit.append(cirq.reset(control))
        circuit.append(cirq.H(control))
        circuit.append(cirq.cphase(2 ** (2 - k) * phi)(control, target))
        for j in range(k):
            correction = cirq.Z ** (-1 / 2 ** (k - j))
            result = cirq.KeyCondition(cirq.MeasurementKey("result"), index=j)
            circuit.append(correction(control).with_classical_controls(result))
        circuit.append(cirq.H(control))
        circuit.append(cirq.measure(control, key="result"))
    return circuit
