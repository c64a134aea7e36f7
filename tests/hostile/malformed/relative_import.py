# does = "imports from a package that it is not in"
# accept = ["exception"]
from . import helpers


def answer():
    return helpers.bell()
