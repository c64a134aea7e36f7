# does = "widens the tolerance that Qiskit compares with, which is data, not a function"
from qiskit.quantum_info import Statevector
from qiskit.quantum_info.operators.mixins.tolerances import TolerancesMixin

from qiskit import QuantumCircuit

print("attacking", flush=True)

for kind in (Statevector, TolerancesMixin):
    kind._ATOL_DEFAULT = kind._RTOL_DEFAULT = 1e9
