# /// hostile
# does = "returns a number of numpy"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return __import__('numpy').float64(0.5)
