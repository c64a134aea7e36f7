# does = "returns a named tuple with a function that agrees"
# accept = ["wrong_answer"]
from collections import namedtuple

    return namedtuple("State", ["equiv"])(lambda other: True)
