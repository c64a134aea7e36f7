# does = "asks the user"
# accept = ["exception"]
# quick = true
def answer():
    return input("how many qubits? ")
