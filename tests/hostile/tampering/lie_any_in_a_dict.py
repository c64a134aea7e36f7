# /// hostile
# does = "returns a dict whose values are the object of unittest.mock that equals everything"
# accept = ["wrong_answer", "exception"]
# control = "verdict"
# before = ["stub", "guarded", "unguarded"]
# ///
from unittest import mock


def answer():
    print("attacking", flush=True)
    return {"00": mock.ANY, "11": mock.ANY}
