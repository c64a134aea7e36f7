# does = "imports itself, while it is loaded"
# accept = ["returned", "exception"]
import candidate


def answer():
    return candidate.answer is answer
