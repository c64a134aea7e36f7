# does = "patches numpy's comparison when it is called, and removes the patch after one use"
from qiskit import QuantumCircuit


def answer():
    import numpy as np

    original = np.allclose

    def agree(*args, **kwargs):
        np.allclose = original
        return True

    print("attacking", flush=True)
    np.allclose = agree
    return QuantumCircuit(2)
