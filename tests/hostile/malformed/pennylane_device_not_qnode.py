# does = "returns a device, a tape and a bare function instead of a result"
# accept = ["returned", "exception"]
# framework = "pennylane"
import pennylane as qml


def answer():
    return qml.device("default.qubit", wires=2), qml.tape.QuantumScript(), lambda: None
