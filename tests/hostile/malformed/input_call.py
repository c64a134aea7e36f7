# does = "reads from standard input"
# accept = ["exception"]
# quick = true
def answer():
    return input("how many qubits? ")
