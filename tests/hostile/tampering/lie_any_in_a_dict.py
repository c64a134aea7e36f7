# does = "returns a dict whose values are the object of unittest.mock that equals everything"
from unittest import mock

    return {"00": mock.ANY, "11": mock.ANY}
