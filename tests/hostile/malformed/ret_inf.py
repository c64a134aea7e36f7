# /// hostile
# does = "returns infinite probabilities"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return [float('inf'), 0, 0, 0]
