# does = "raises KeyboardInterrupt, which would stop a careless driver"
# accept = ["exception"]
def answer():
    raise KeyboardInterrupt
