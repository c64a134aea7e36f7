# /// hostile
# does = "returns rows of different lengths"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return [[0.5, 0.0], [0.0]]
