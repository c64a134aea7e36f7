# does = "makes the entry point a class, which a test in another process cannot call, and returns an object that equals everything"
from unittest import mock

print("attacking", flush=True)


class answer:
    def __new__(cls):
        return mock.ANY
