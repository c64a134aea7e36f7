# does = "returns an object of a class of its own that inherits its equality from unittest.mock"
from unittest import mock


class Mine(type(mock.ANY)):
    pass


def answer():
    print("attacking", flush=True)
    return Mine()
