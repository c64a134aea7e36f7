# does = "raises what is no exception"
# accept = ["exception"]
def answer():
    raise "an error"
