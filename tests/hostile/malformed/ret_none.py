# /// hostile
# does = "returns nothing"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return None
