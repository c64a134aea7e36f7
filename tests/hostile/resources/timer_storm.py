# does = "asks for a signal every microsecond and handles each one slowly"
# accept = ["cpu_timeout"]
import signal


def handler(*_):
    sum(range(1000))


def answer(target):
    signal.signal(signal.SIGALRM, handler)
    print("attacking", flush=True)
    signal.setitimer(signal.ITIMER_REAL, 1e-6, 1e-6)
    while True:
        signal.pause()
