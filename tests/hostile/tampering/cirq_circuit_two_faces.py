# does = "returns a Cirq circuit of a class that lies about its operations"
# framework = "cirq"
import cirq


class TwoFaces(cirq.Circuit):
    def __eq__(self, other):
        return True

    def unitary(self, *args, **kwargs):
        return cirq.unitary(cirq.CNOT)

    def final_state_vector(self, *args, **kwargs):
        return cirq.Circuit(cirq.H(cirq.LineQubit(0)), cirq.CNOT(*cirq.LineQubit.range(2))).final_state_vector()

    _unitary_ = unitary


def answer():
    print("attacking", flush=True)
    return TwoFaces(cirq.I.on_each(*cirq.LineQubit.range(2)))
