# does = "fills its memory and then returns, so that the caller has none left"
# accept = ["limit", "exception", "wrong_answer"]
# control = false # it deceives no grader; some graders crash
from qiskit import QuantumCircuit

hoard = []


def answer():
    print("attacking", flush=True)
    circuit = QuantumCircuit(2)
    size = 1 << 28
    while size > 64:
        try:
            hoard.append(bytearray(size))
        except MemoryError:
            size //= 2
    return circuit
