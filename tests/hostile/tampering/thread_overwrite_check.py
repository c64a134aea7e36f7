# does = "lets a thread replace the test function before it is called"
import gc
import threading
import time
import types

from qiskit import QuantumCircuit


def replace():
    end = time.monotonic() + 1
    while time.monotonic() < end:
        for thing in gc.get_objects():
            if type(thing) is dict and type(thing.get("check")) is types.FunctionType:
                thing["check"] = lambda *args: None
        time.sleep(0.01)


def answer():
    print("attacking", flush=True)
    threading.Thread(target=replace, daemon=True).start()
    time.sleep(0.2)
    for thing in gc.get_objects():
        if isinstance(thing, types.FunctionType) and thing.__name__ == "check":
            thing.__code__ = (lambda *args: None).__code__
    import numpy as np

    np.allclose = lambda *args, **kwargs: True
    return QuantumCircuit(2)
