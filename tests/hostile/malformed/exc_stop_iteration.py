# does = "raises StopIteration, which a loop around it would take for its end"
# accept = ["exception"]
def answer():
    raise StopIteration([0.5, 0, 0, 0.5])
