# does = "raises an exception with half a surrogate pair, a null byte and a terminal's commands in its message"
# accept = ["exception"]
def answer():
    raise ValueError("\ud800\udfff \x00 \x1b[2J \x1b]0;title\x07")
