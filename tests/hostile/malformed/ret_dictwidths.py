# /// hostile
# does = "returns outcomes of different lengths"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return {'0': 500, '11': 500}
