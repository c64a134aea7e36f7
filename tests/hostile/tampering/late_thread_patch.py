# does = "lets a thread patch numpy a moment after it has returned"
# control = false # it succeeds only at times
import threading

from qiskit import QuantumCircuit


def late():
    import numpy as np

    np.allclose = np.isclose = lambda *args, **kwargs: True


def answer():
    print("attacking", flush=True)
    threading.Timer(0.0, late).start()
    return QuantumCircuit(2)
