# does = "raises StopIteration, which would end a loop around it"
# accept = ["exception"]
def answer():
    raise StopIteration([0.5, 0, 0, 0.5])
