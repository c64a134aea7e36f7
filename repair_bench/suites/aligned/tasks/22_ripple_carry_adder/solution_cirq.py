import cirq


def Qadd(b, carry_in):
    carry, *pairs, carry_out = cirq.LineQubit.range(8)
    bs, as_ = pairs[0::2], pairs[1::2]  # least significant first
    circuit = cirq.Circuit(cirq.H.on_each(*as_))
    if carry_in:
        circuit += cirq.X(carry)
    circuit += [cirq.X(bs[i]) for i in range(3) if b >> i & 1]

    carries = [carry, *as_[:-1]]
    stages = list(zip(carries, bs, as_, strict=True))
    for c, b_i, a_i in stages:
        circuit += [cirq.CNOT(a_i, b_i), cirq.CNOT(a_i, c), cirq.CCNOT(c, b_i, a_i)]
    circuit += cirq.CNOT(as_[-1], carry_out)
    for c, b_i, a_i in reversed(stages):
        circuit += [cirq.CCNOT(c, b_i, a_i), cirq.CNOT(a_i, c), cirq.CNOT(c, b_i)]

    circuit += cirq.measure(*reversed(as_), carry_out, *reversed(bs), key="result")
    return circuit
