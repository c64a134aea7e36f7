# does = "stops in the middle of a string"
# accept = ["exception"]
def answer():
    """Return the Bell state
