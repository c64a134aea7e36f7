# does = "has a missing colon"
# accept = ["exception"]
def answer()
    return 1
