# does = "empties the expected answer in the test's frame and returns an empty one"
import logging

print("attacking", flush=True)


def answer():
    frame = logging.currentframe()
    while frame is not None:
        expected = frame.f_locals.get("expected")
        if isinstance(expected, dict):
            expected.clear()
        frame = frame.f_back
    return {}
