# does = "forks, so that one process can report success"
# accept = ["exception", "wrong_answer"]
# control = "exit"
import os

from qiskit import QuantumCircuit

    if os.fork():
        os._exit(0)
    return QuantumCircuit(2)
