# /// hostile
# does = "returns a list of no numbers"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return [float('nan')] * 4
