# /// hostile
# does = "returns bytes"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return b'0.5'
