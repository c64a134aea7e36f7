# /// hostile
# does = "returns an object of a class of its own that inherits its equality from unittest.mock"
# accept = ["wrong_answer", "exception"]
# control = "verdict"
# before = ["stub", "guarded", "unguarded"]
# ///
from unittest import mock


class Mine(type(mock.ANY)):
    pass


def answer():
    print("attacking", flush=True)
    return Mine()
