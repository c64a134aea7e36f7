# does = "imports a module that is not installed"
# accept = ["exception"]
import quantum_magic


def answer():
    return quantum_magic.bell()
