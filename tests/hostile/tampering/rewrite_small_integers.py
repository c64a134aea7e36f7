# does = "overwrites the interpreter's True and False"
# accept = ["exception", "wrong_answer"]
# control = false # nobody is fooled by it reliably
import ctypes

from qiskit import QuantumCircuit

    circuit = QuantumCircuit(2)
    size = (1).__sizeof__()
    ctypes.memmove(id(False) + size - 4, id(True) + size - 4, 4)
    return circuit
