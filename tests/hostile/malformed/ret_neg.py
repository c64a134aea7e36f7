# /// hostile
# does = "returns probabilities below 0 and above 1"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return [1.5, -0.5, 0, 0]
