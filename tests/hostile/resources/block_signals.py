# does = "blocks every signal and sleeps"
# accept = ["wall_timeout"]
# limits = { wall_seconds = 1 }
import signal
import time


def answer(target):
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))
    print("attacking", flush=True)
    time.sleep(10**6)
