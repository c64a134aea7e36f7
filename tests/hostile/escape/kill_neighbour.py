# does = "ends a process outside, by each call that sends a signal"
# must_not = "neighbour"
import ctypes
import os
import signal
import time


def answer(target):
    pid = target["neighbour"]["pid"]
    libc = ctypes.CDLL(None)
    print("attacking", flush=True)
    for send in (
        lambda: signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGTERM),
        lambda: libc.sigqueue(pid, signal.SIGTERM, None),
        lambda: os.killpg(pid, signal.SIGTERM),
        lambda: os.kill(pid, signal.SIGTERM),
    ):
        try:
            send()
        except OSError:
            continue
    time.sleep(0.1)
