# does = "returns an iterator that never ends"
# accept = ["returned"]
# framework = "qiskit"
import itertools

    return itertools.count()
