# does = "wants arguments that it is not given"
# accept = ["exception"]
def answer(qubits, shots):
    return qubits * shots
