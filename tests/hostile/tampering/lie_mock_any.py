# /// hostile
# does = "returns the object of unittest.mock that equals everything"
# accept = ["wrong_answer", "exception"]
# control = "verdict"
# before = ["stub", "guarded", "unguarded"]
# quick = true
# ///
from unittest import mock


def answer():
    print("attacking", flush=True)
    return mock.ANY
