# does = "deletes the built-in functions that the code which reports on it needs"
# accept = ["exception", "wrong_answer"]
# control = false # it deceives no grader; some graders crash
import builtins

from qiskit import QuantumCircuit

    circuit = QuantumCircuit(2)
    for name in ("len", "isinstance", "getattr", "dict", "list", "BaseException", "MemoryError"):
        delattr(builtins, name)
    return circuit
