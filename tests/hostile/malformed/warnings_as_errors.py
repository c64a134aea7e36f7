# does = "turns every later warning into an error"
# accept = ["returned", "exception"]
# framework = "qiskit"
import warnings

from qiskit import QuantumCircuit

warnings.simplefilter("error")


def answer():
    warnings.filterwarnings("error")
    return QuantumCircuit(2)
