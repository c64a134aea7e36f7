# /// hostile
# does = "returns a module"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return __import__('math')
