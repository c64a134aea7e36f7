# does = "asks PennyLane for the state of 36 wires"
# accept = ["memory", "exception"]
# framework = "pennylane"
import pennylane as qml

device = qml.device("default.qubit", wires=36)


@qml.qnode(device)
def answer(target):
    print("attacking", flush=True)
    for wire in range(36):
        qml.Hadamard(wire)
    return qml.state()
