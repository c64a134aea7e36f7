# /// hostile
# does = "returns NotImplemented"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return NotImplemented
