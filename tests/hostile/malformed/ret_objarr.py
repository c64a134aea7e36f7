# /// hostile
# does = "returns an array of objects"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return __import__('numpy').array([0.5, None], dtype=object)
