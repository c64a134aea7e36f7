# /// hostile
# does = "waits for a lock that it holds itself"
# accept = ["wall_timeout"]
# limits = { wall_seconds = 1 }
import threading


def answer(target):
    print("attacking", flush=True)
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()
