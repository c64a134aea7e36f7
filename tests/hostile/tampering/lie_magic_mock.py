# /// hostile
# does = "returns a mock that is told to equal everything"
# accept = ["wrong_answer", "exception"]
# control = "verdict"
# before = ["stub", "guarded", "unguarded"]
# ///
from unittest import mock

LIE = mock.MagicMock()
LIE.__eq__.return_value = True


def answer():
    print("attacking", flush=True)
    return LIE
