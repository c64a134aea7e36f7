# does = "stops in the middle of a line, like an answer that ran out of tokens"
# accept = ["exception"]
def answer():
    values = [0.5, 0.0,
