# does = "builds a gate for Cirq that has the name of an allowed one and the matrix of a forbidden one"
# framework = "cirq"
# control = "gates"
import cirq

print("attacking", flush=True)


class Borrowed(cirq.CZPowGate):
    def _unitary_(self):
        return cirq.unitary(cirq.CNOT)

    def _has_unitary_(self):
        return True


Borrowed.__module__ = cirq.CZPowGate.__module__
Borrowed.__name__ = Borrowed.__qualname__ = "CZPowGate"


def answer():
    return cirq.Circuit(Borrowed()(*cirq.LineQubit.range(2)))
