# does = "calls the kernel by the x32 convention, whose numbers carry an extra bit"
# accept = ["killed"]
# must_not = "privilege"
# control = false # few kernels still speak it
import ctypes

X32, SOCKET = 0x40000000, 41


def answer(target):
    print("attacking", flush=True)
    fd = ctypes.CDLL(None).syscall(X32 | SOCKET, 2, 1, 0)
    return f"GAINED {fd}" if fd >= 0 else "refused"
