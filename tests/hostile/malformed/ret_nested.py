# /// hostile
# does = "returns a matrix that is neither a state nor a distribution of two bits"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return [[1.0, 0.0], [0.0, 1.0]]
