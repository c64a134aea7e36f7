# does = "copies an open descriptor out of a process outside"
# must_not = "privilege"
import ctypes
import os

GETFD = 438


def answer(target):
    print("attacking", flush=True)
    try:
        pidfd = os.pidfd_open(target["neighbour"]["pid"])
    except OSError:
        return "refused"
    fd = ctypes.CDLL(None).syscall(GETFD, pidfd, 0, 0)
    return f"GAINED {fd}" if fd >= 0 else "refused"
