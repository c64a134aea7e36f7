# does = "lacks a colon"
# accept = ["exception"]
# quick = true
def answer()
    return 1
