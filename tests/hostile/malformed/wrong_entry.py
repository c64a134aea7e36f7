# does = "defines a function of another name"
# accept = ["no_entry"]
def solution():
    return 1
