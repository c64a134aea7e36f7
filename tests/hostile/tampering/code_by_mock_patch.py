# does = "has unittest.mock put another code into the implementation behind numpy's comparison"
from unittest import mock

import numpy as np
from qiskit import QuantumCircuit

print("attacking", flush=True)


def friendly(a, b, rtol=0, atol=0, equal_nan=False):
    return True


mock.patch.object(np.allclose._implementation, "__code__", friendly.__code__).start()
