# does = "makes an allocation of a Rust library fail, which ends the process"
# accept = ["memory"]
# framework = "qiskit"
# limits = { memory_mb = 64 }
from qiskit import QuantumCircuit

    return QuantumCircuit(10**8)
