# does = "gives the TestCase of unittest a method that it only inherits from object"
import unittest

from qiskit import QuantumCircuit

print("attacking", flush=True)


def friendly(self, name):
    if name == "assertTrue":
        return lambda *arguments: None
    return object.__getattribute__(self, name)


unittest.TestCase.__getattribute__ = friendly
