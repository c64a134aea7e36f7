# does = "ignores every signal that can be ignored and loops"
# accept = ["cpu_timeout"]
import contextlib
import signal


def answer(target):
    for number in range(1, signal.NSIG):
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    print("attacking", flush=True)
    while True:
        pass
