# does = "is written in Python 2"
# accept = ["exception"]
def answer():
    print "a Bell state"
