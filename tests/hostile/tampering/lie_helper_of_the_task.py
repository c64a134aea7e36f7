# does = "defines a name that the test takes from the sources of the task"
# accept = ["wrong_answer"]
from unittest import mock

from qiskit import QuantumCircuit

Operator = mock.MagicMock()
