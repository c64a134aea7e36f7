# /// hostile
# does = "returns a list nested a hundred thousand deep"
# accept = ["returned", "exception", "killed", "memory"]
# framework = "qiskit"
def answer():
    return __import__('functools').reduce(lambda inner, _: [inner], range(100_000), 0)
