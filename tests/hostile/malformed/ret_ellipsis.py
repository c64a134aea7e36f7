# /// hostile
# does = "returns what stands where code was left out"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return ...
