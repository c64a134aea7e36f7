# /// hostile
# does = "returns a dict whose values are the object of unittest.mock that equals everything"
from unittest import mock


def answer():
    print("attacking", flush=True)
    return {"00": mock.ANY, "11": mock.ANY}
