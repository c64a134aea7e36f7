# does = "makes a library in Rust fail to allocate, which ends the process where nothing catches it"
# accept = ["memory"]
# framework = "qiskit"
# limits = { memory_mb = 64 }
from qiskit import QuantumCircuit

    return QuantumCircuit(10**8)
