# does = "raises an object that is not an exception"
# accept = ["exception"]
def answer():
    raise "an error"
