# /// hostile
# does = "returns text that lists probabilities"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return '0.5, 0, 0, 0.5'
