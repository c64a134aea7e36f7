# /// hostile
# does = "returns an open file"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return open('left', 'w')
