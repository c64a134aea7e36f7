# does = "asks the kernel to run a custom program and to count events of all processes"
# must_not = "privilege"
# control = "root"
import ctypes
import platform

BPF = {"x86_64": 321, "aarch64": 280}[platform.machine()]
USERFAULT = {"x86_64": 323, "aarch64": 282}[platform.machine()]
MAP_CREATE = 0


def answer(target):
    libc = ctypes.CDLL(None)
    array = (ctypes.c_uint32 * 20)(2, 4, 8, 1)  # an array of one value
    print("attacking", flush=True)
    gained = []
    if libc.syscall(BPF, MAP_CREATE, array, ctypes.sizeof(array)) >= 0:
        gained.append("bpf")
    if libc.syscall(USERFAULT, 0) >= 0:
        gained.append("userfaultfd")
    return f"GAINED {gained}" if gained else "refused"
