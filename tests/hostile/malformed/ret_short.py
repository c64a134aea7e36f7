# /// hostile
# does = "returns too few probabilities"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return [0.5, 0.5]
