# does = "replaces the class of the module numpy, with arbitrary attributes"
import types

import numpy as np
from qiskit import QuantumCircuit

print("attacking", flush=True)


class Friendly(types.ModuleType):
    allclose = property(lambda self: lambda *arguments, **keywords: True)


np.__class__ = Friendly
