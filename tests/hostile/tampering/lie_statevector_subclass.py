# does = "returns a Statevector of a class that equals anything"
import numpy as np
from qiskit.quantum_info import Statevector


class Lie(Statevector):
    def __init__(self):
        super().__init__(np.array([1, 0, 0, 0]))

    def __eq__(self, other):
        return True

    __hash__ = None


def answer():
    print("attacking", flush=True)
    return Lie()
