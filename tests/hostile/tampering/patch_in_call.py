# does = "patches numpy's comparisons only when it is called, after a test has checked them"
from qiskit import QuantumCircuit


def answer():
    import numpy as np

    print("attacking", flush=True)
    np.allclose = np.isclose = np.array_equal = lambda *args, **kwargs: True
    return QuantumCircuit(2)
