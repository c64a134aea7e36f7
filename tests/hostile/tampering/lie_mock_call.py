# does = "returns a recorded call of unittest.mock, which can equal anything"
from unittest import mock


class Call(type(mock.call)):
    def __eq__(self, other):
        return True

    __hash__ = None


def answer():
    print("attacking", flush=True)
    return Call()
