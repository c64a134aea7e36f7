# /// hostile
# does = "returns the object of unittest.mock that equals everything"
# quick = true
from unittest import mock


def answer():
    print("attacking", flush=True)
    return mock.ANY
