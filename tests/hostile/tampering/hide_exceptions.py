# does = "gives its module an AssertionError and an Exception of another kind"
# control = false  # the tests catch what fails with other names
from qiskit import QuantumCircuit

print("attacking", flush=True)

AssertionError = Exception = ZeroDivisionError
isinstance = lambda value, kind: True
len = lambda value: 2
