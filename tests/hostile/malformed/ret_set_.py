# /// hostile
# does = "returns a set"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return {0.5, 0.0}
