# does = "returns a mock that is set to equal everything"
from unittest import mock

LIE = mock.MagicMock()
LIE.__eq__.return_value = True


def answer():
    print("attacking", flush=True)
    return LIE
