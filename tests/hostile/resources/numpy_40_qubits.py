# does = "asks for the amplitudes of forty qubits"
# accept = ["memory"]
# framework = "qiskit"
import numpy as np

    return np.ones(2**40, dtype=complex)
