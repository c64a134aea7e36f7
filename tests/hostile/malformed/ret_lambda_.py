# /// hostile
# does = "returns a function"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return lambda: 1
