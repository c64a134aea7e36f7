# does = "patches an unguarded package, which draws and compares figures"
# control = false  # the naive tests draw nothing
import matplotlib.figure
from qiskit import QuantumCircuit

print("attacking", flush=True)

matplotlib.figure.Figure.__eq__ = lambda self, other: True
matplotlib.figure.Figure.__hash__ = None
