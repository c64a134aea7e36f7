# /// hostile
# does = "returns True"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return True
