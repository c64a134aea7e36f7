# /// hostile
# does = "returns two circuits where one was asked for"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return [__import__('qiskit').QuantumCircuit(2)] * 2
