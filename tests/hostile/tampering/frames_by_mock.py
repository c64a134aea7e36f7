# /// hostile
# does = "finds the test's frame by a mock that calls sys._getframe for it"
# accept = ["wrong_answer", "exception"]
# control = "verdict"
# before = ["guarded", "unguarded"]
# ///
import sys
from unittest import mock

print("attacking", flush=True)


def own_frame():
    return mock.Mock(side_effect=sys._getframe)()


def answer():
    frame = own_frame()
    while frame is not None:
        expected = frame.f_locals.get("expected")
        if isinstance(expected, dict):
            return dict(expected)
        frame = frame.f_back
    return None
