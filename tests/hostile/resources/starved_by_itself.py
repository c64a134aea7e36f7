# does = "fills one core with its threads, then sleeps, to look like a program that got no core"
# accept = ["wall_timeout"]
# limits = { wall_seconds = 2.0, memory_mb = 2048 }
import hashlib
import os
import threading
import time

BLOCK = bytes(1 << 20)


def burn(end):
    while time.monotonic() < end:
        hashlib.sha256(BLOCK).digest()


def answer(target):
    print("attacking", flush=True)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    end = time.monotonic() + 0.9
    for _ in range(8):
        threading.Thread(target=burn, args=(end,), daemon=True).start()
    burn(end)
    time.sleep(60)
