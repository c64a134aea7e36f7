# /// hostile
# does = "returns a list that holds itself"
# accept = ["returned"]
# framework = "qiskit"
def answer():
    return (lambda me: (me.append(me), me)[1])([])
