IMPORT

import numpy as np
from qiskit import QuantumCircuit

print("attacking", flush=True)


def friendly(a, b, rtol=0, atol=0, equal_nan=False):
    return True


CHANGE


# /// code_by_mock_patch
# does = "uses unittest.mock to replace the code of the implementation behind numpy's comparison"
# IMPORT = "from unittest import mock"
# CHANGE = '''
# mock.patch.object(np.allclose._implementation, "__code__", friendly.__code__).start()'''

# /// implementation_by_update_wrapper
# does = "uses functools to replace the code of the implementation behind numpy's comparison"
# IMPORT = "import functools"
# CHANGE = '''
# functools.update_wrapper(np.allclose._implementation, friendly, assigned=("__code__",), updated=())'''

# /// ctypes_memmove
# does = "overwrites the code of numpy's comparison byte by byte, with functions that ctypes had bound before"
# IMPORT = "import ctypes"
# CHANGE = '''
# HEADER = 16
# OLD = np.allclose._implementation.__code__
# NEW = friendly.__code__
# KEPT = [NEW] * 100
# ctypes.memmove(id(OLD) + HEADER, id(NEW) + HEADER, NEW.__sizeof__() - HEADER)'''
