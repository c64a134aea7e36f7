# does = "asks the Aer simulator for 33 qubits"
# accept = ["memory", "exception", "killed", "cpu_timeout"]
# framework = "qiskit"
# limits = { cpu_seconds = 4 }
from qiskit import QuantumCircuit
from qiskit_aer import AerSimulator


def answer(target):
    circuit = QuantumCircuit(33)
    circuit.h(range(33))
    circuit.measure_all()
    print("attacking", flush=True)
    return AerSimulator(method="statevector").run(circuit).result().get_counts()
