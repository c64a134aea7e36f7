# does = "returns the object of unittest.mock that equals everything"
# quick = true
from unittest import mock

    return mock.ANY
