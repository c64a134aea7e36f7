# does = "returns the object of unittest.mock that equals everything"
from unittest import mock

    return mock.ANY
