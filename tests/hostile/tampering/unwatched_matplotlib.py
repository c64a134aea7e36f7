# /// hostile
# does = "patches a package that no guard looks at, which draws and compares figures"
# accept = ["wrong_answer", "exception"]
# control = false  # the naive tests draw nothing
# before = []
# ///
import matplotlib.figure
from qiskit import QuantumCircuit

print("attacking", flush=True)

matplotlib.figure.Figure.__eq__ = lambda self, other: True
matplotlib.figure.Figure.__hash__ = None


def answer():
    return QuantumCircuit(2)
