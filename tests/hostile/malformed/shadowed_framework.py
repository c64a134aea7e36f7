# does = "uses the name of its framework for something else"
# accept = ["exception"]
# framework = "qiskit"
import qiskit

qiskit = "a framework"


def answer():
    return qiskit.QuantumCircuit(2)
