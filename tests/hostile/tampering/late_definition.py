# does = "redefines the test's own name whenever a namespace is copied from its own"
# control = false # the naive tests are defined after it
from qiskit import QuantumCircuit


def check(*args):
    return None


def answer():
    print("attacking", flush=True)
    globals()["check"] = check
    return QuantumCircuit(2)
