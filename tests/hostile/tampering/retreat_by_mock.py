# does = "makes the entry point a mock, which a test in another process cannot call, and returns an object that equals everything"
from unittest import mock

print("attacking", flush=True)
answer = mock.MagicMock(return_value=mock.ANY)
