# does = "requires arguments that it does not receive"
# accept = ["exception"]
def answer(qubits, shots):
    return qubits * shots
