# /// hostile
# does = "returns too many probabilities"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return [0.125] * 8
