# does = "mounts a file system, unmounts another, and makes a read-only one writable"
# must_not = "privilege"
# control = "root"
import ctypes
import os

REMOUNT, BIND, DETACH = 32, 4096, 2


def answer(target):
    libc = ctypes.CDLL(None)
    os.mkdir("here")
    gained = []
    print("attacking", flush=True)
    if libc.mount(b"tmpfs", b"here", b"tmpfs", 0, None) == 0:
        libc.umount2(b"here", DETACH)
        gained.append("mounted")
    if libc.mount(None, b"/usr/lib", None, REMOUNT | BIND, None) == 0:
        gained.append("remounted")
    if libc.umount2(b"/box", DETACH) == 0:
        gained.append("lifted")
    return f"GAINED {gained}" if gained else "refused"
