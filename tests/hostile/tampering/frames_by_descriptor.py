# /// hostile
# does = "finds the test's frame by a descriptor of types that calls sys._getframe for it"
# accept = ["wrong_answer", "exception"]
# control = "verdict"
# before = ["guarded", "unguarded"]
# ///
import sys
import types

print("attacking", flush=True)


def own_frame():
    return types.DynamicClassAttribute(sys._getframe).__get__(1, None)


def answer():
    frame = own_frame()
    while frame is not None:
        expected = frame.f_locals.get("expected")
        if isinstance(expected, dict):
            return dict(expected)
        frame = frame.f_back
    return None
