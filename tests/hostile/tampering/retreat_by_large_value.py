# does = "returns a value that is too large to encode at first, and then an object that equals everything"
from unittest import mock

from qiskit.exceptions import QiskitError


class Wide(mock.MagicMock):
    pass


def answer():
    print("attacking", flush=True)
    lie = Wide(spec=QiskitError)
    lie.__eq__ = lambda self, other: True
    return lie
