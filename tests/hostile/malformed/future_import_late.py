# does = "has a future statement that comes too late"
# accept = ["exception"]
number = 1
from __future__ import annotations


def answer():
    return number
