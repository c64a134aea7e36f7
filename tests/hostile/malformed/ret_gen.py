# /// hostile
# does = "returns a generator"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return (p for p in [0.5, 0, 0, 0.5])
