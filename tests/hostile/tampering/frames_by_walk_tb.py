# /// hostile
# does = "finds the test's frame by traceback.walk_tb"
# accept = ["wrong_answer", "exception"]
# control = "verdict"
# before = ["guarded", "unguarded"]
# ///
import traceback

print("attacking", flush=True)


def own_frame():
    try:
        raise LookupError
    except LookupError as error:
        return next(traceback.walk_tb(error.__traceback__))[0]


def answer():
    frame = own_frame()
    while frame is not None:
        expected = frame.f_locals.get("expected")
        if isinstance(expected, dict):
            return dict(expected)
        frame = frame.f_back
    return None
