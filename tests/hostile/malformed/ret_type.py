# /// hostile
# does = "returns a class"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return dict
