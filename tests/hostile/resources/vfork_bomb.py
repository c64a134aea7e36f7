# does = "starts processes with the calls below the C library's fork: vfork, clone and clone3"
# accept = ["returned"]
# must_not = "process"
# control = "plain"
import ctypes
import os
import platform
import time

CLONE = {"x86_64": 56, "aarch64": 220}[platform.machine()]
CLONE3 = 435
SIGCHLD = 17


def answer(target):
    libc = ctypes.CDLL(None)
    print("attacking", flush=True)
    record = (ctypes.c_uint64 * 8)()
    record[4] = SIGCHLD
    for start in (
        lambda: libc.syscall(CLONE, SIGCHLD, 0, 0, 0, 0),
        lambda: libc.syscall(CLONE3, ctypes.byref(record), ctypes.sizeof(record)),
    ):
        if start() == 0:
            time.sleep(0.3)
            os._exit(0)
    time.sleep(0.1)
