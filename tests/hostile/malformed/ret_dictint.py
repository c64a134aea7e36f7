# /// hostile
# does = "returns a dict with keys of several kinds"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return {0: 0.5, 3: 0.5, (1, 2): 0}
