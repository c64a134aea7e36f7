# /// hostile
# does = "sleeps for eleven days"
# accept = ["wall_timeout"]
# limits = { wall_seconds = 1 }
import time


def answer(target):
    print("attacking", flush=True)
    time.sleep(10**6)
