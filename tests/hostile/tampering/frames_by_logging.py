# /// hostile
# does = "finds the test's frame by logging.currentframe"
# accept = ["wrong_answer", "exception"]
# control = "verdict"
# before = ["guarded", "unguarded"]
# ///
import logging

print("attacking", flush=True)


def own_frame():
    return logging.currentframe()


def answer():
    frame = own_frame()
    while frame is not None:
        expected = frame.f_locals.get("expected")
        if isinstance(expected, dict):
            return dict(expected)
        frame = frame.f_back
    return None
