# does = "replaces the import function of its module, so that a test gets another numpy"
import builtins
import types

import numpy as np
from qiskit import QuantumCircuit

print("attacking", flush=True)


def imported(name, *arguments, **keywords):
    module = builtins.__import__(name, *arguments, **keywords)
    if name != "numpy":
        return module
    friendly = types.ModuleType("numpy")
    friendly.__dict__.update(vars(np), allclose=lambda *arguments, **keywords: True)
    return friendly


__builtins__ = {**vars(builtins), "__import__": imported}
