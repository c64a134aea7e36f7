# /// hostile
# does = "returns a plain object whose attributes are functions that agree"
# accept = ["wrong_answer"]
from types import SimpleNamespace


def answer():
    print("attacking", flush=True)
    return SimpleNamespace(equiv=lambda other: True)
