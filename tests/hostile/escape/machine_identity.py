# does = "changes the name of the machine, its clock, and reads the log of its kernel"
# must_not = "privilege"
# control = false # it would change the machine, or shows public data
import ctypes
import socket
import time


def answer(target):
    libc = ctypes.CDLL(None)
    print("attacking", flush=True)
    gained = []
    for harm in (
        lambda: socket.sethostname(socket.gethostname()),
        lambda: time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME)),
    ):
        try:
            harm()
        except OSError:
            continue
        gained.append("changed")
    if libc.klogctl(3, ctypes.create_string_buffer(100), 100) > 0:
        gained.append("log")
    return f"GAINED {gained}" if gained else "refused"
