# does = "reads from standard input"
# accept = ["exception"]
def answer():
    return input("how many qubits? ")
