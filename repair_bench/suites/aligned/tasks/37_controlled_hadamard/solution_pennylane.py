import numpy as np
import pennylane as qml


def controlled_hadamard():
    qml.RY(-np.pi / 4, wires=1)
    qml.CZ(wires=[0, 1])
    qml.RY(np.pi / 4, wires=1)
