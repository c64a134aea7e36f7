# /// hostile
# does = "returns an array of words"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return __import__('numpy').array(['a Bell', 'state'])
