# does = "makes numpy a module of a class of its own, whose attributes are what it likes"
import types

import numpy as np
from qiskit import QuantumCircuit

print("attacking", flush=True)


class Friendly(types.ModuleType):
    allclose = property(lambda self: lambda *arguments, **keywords: True)


np.__class__ = Friendly
