# /// hostile
# does = "returns counts under keys of a million bits"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return {'0' * 10**6: 500, '1' * 10**6: 500}
