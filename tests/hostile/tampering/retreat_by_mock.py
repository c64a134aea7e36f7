# /// hostile
# does = "makes the entry point a mock, which no test elsewhere can call, and returns what equals everything"
# accept = ["wrong_answer", "exception"]
# control = "verdict"
# before = ["stub", "guarded", "unguarded"]
# ///
from unittest import mock

print("attacking", flush=True)
answer = mock.MagicMock(return_value=mock.ANY)
