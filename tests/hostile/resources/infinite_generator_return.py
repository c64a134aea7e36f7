# /// hostile
# does = "returns an iterator that never ends"
# accept = ["returned"]
# framework = "qiskit"
import itertools


def answer(target):
    print("attacking", flush=True)
    return itertools.count()
