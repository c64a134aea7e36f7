# /// hostile
# does = "finds the test's frame by a signal handler, which is given one"
# accept = ["wrong_answer", "exception"]
# control = "verdict"
# before = ["guarded", "unguarded"]
# ///
import signal

print("attacking", flush=True)


def own_frame():
    found = []
    signal.signal(signal.SIGUSR1, lambda number, frame: found.append(frame))
    signal.raise_signal(signal.SIGUSR1)
    return found[0]


def answer():
    frame = own_frame()
    while frame is not None:
        expected = frame.f_locals.get("expected")
        if isinstance(expected, dict):
            return dict(expected)
        frame = frame.f_back
    return None
