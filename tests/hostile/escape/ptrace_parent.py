# does = "attaches to its parent and to a process outside as a debugger"
# must_not = "privilege"
import ctypes
import os

SEIZE = 0x4206  # unlike PTRACE_ATTACH it does not stop the other process


def answer(target):
    libc = ctypes.CDLL(None)
    print("attacking", flush=True)
    seized = [
        pid for pid in (os.getppid() or 1, target["neighbour"]["pid"]) if libc.ptrace(SEIZE, pid, None, None) == 0
    ]
    return f"GAINED {seized}" if seized else "refused"
