# /// hostile
# does = "returns a bare object"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return object()
