# does = "sets the maximum changes that the guards report to 0"
import sys

import numpy as np
from qiskit import QuantumCircuit

print("attacking", flush=True)

for name, module in list(sys.modules.items()):
    if name.endswith("guest.unit_tests.guards"):
        module.MAX_CHANGES = 0
np.allclose = lambda *arguments, **keywords: True
