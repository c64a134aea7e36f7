# /// hostile
# does = "returns complex numbers of the wrong norm"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return [0.5 + 0j, 0, 0, 0.5j]
