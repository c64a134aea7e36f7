# does = "switches off the alarm that should stop it, and loops"
# accept = ["limit"]
# control = false # it deceives no grader; some graders hang
import signal


def answer():
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    print("attacking", flush=True)
    while True:
        pass
