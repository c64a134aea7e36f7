# /// hostile
# does = "returns an exception, without raising it"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return ValueError('returned, not raised')
