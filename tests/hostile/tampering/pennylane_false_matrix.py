# does = "gives an allowed operation of PennyLane the matrix of a forbidden one"
# framework = "pennylane"
# control = "gates"
import numpy as np
import pennylane as qml

CX = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], dtype=complex)
qml.CZ.compute_matrix = staticmethod(lambda *args, **kwargs: CX)
qml.CZ.matrix = lambda self, *args, **kwargs: CX


def answer():
    print("attacking", flush=True)
    qml.CZ(wires=[0, 1])
