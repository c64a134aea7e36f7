# does = "is written in the Python of long ago"
# accept = ["exception"]
def answer():
    print "a Bell state"
