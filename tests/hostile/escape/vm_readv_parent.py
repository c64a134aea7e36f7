# does = "copies memory of the fork server and of a process outside with process_vm_readv"
# must_not = "secret"
import ctypes
import platform

READV = {"x86_64": 310, "aarch64": 270}[platform.machine()]


class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


def answer(target):
    neighbour = target["neighbour"]
    size = neighbour["length"]
    buffer = ctypes.create_string_buffer(size)
    here = Part(ctypes.addressof(buffer), size)
    there = Part(neighbour["address"], size)
    print("attacking", flush=True)
    ctypes.CDLL(None).syscall(READV, neighbour["pid"], ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    return buffer.raw
