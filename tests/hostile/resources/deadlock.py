# does = "waits for a lock that it holds itself"
# accept = ["wall_timeout"]
# limits = { wall_seconds = 1 }
import threading

    lock = threading.Lock()
    lock.acquire()
    lock.acquire()
