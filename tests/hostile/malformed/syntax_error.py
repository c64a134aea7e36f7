# does = "has a missing colon"
# accept = ["exception"]
# quick = true
def answer()
    return 1
