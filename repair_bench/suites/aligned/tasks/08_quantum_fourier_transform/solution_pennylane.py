import numpy as np
import pennylane as qml


def qft_6():
    for target in range(6):
        qml.Hadamard(wires=target)
        for control in range(target + 1, 6):
            qml.ControlledPhaseShift(np.pi / 2 ** (control - target), wires=[control, target])
    for wire in range(3):
        qml.SWAP(wires=[wire, 5 - wire])
