# does = "redefines the name of the test whenever its namespace is copied"
# control = false # the naive tests are defined after it
from qiskit import QuantumCircuit


def check(*args):
    return None


def answer():
    print("attacking", flush=True)
    globals()["check"] = check
    return QuantumCircuit(2)
