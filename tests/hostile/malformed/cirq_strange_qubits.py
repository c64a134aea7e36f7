# does = "returns a Cirq circuit whose qubits cannot be put in order and whose measurement has no key that is a word"
# accept = ["returned", "exception"]
# framework = "cirq"
import cirq


def answer():
    qubits = [cirq.NamedQubit("\x1b[2J"), cirq.GridQubit(10**9, -(10**9))]
    return cirq.Circuit(cirq.measure(*qubits, key="\x00"))
