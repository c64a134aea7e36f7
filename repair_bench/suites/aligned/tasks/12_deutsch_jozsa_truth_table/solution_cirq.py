import cirq


def Deutsch_Jozsa_Constant_4(truth_table):
    *inputs, target = cirq.LineQubit.range(5)
    circuit = cirq.Circuit(cirq.X(target), cirq.H.on_each(*inputs, target))
    for x, value in enumerate(truth_table):
        if value == "1":
            bits = [int(bit) for bit in format(x, "04b")]
            circuit += cirq.X(target).controlled_by(*inputs, control_values=bits)
    circuit += cirq.H.on_each(*inputs)
    return circuit
