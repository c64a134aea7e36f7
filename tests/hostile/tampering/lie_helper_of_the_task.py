# does = "defines a name that the test takes from the task's own sources"
# accept = ["wrong_answer"]
from unittest import mock

from qiskit import QuantumCircuit

Operator = mock.MagicMock()
