# /// hostile
# does = "returns integers of a hundred thousand digits"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return [10**100_000, 0, 0, 0]
