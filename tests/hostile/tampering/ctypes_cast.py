# does = "reads the test's frame out of memory, by an address that ctypes treats as an object"
import ctypes
import logging

print("attacking", flush=True)


def answer():
    frame = ctypes.cast(id(logging.currentframe()), ctypes.py_object).value
    while frame is not None:
        expected = frame.f_locals.get("expected")
        if isinstance(expected, dict):
            return dict(expected)
        frame = frame.f_back
    return None
