# /// hostile
# does = "computes an integer that has more digits than the universe has atoms"
# accept = ["cpu_timeout", "memory", "exception"]
def answer(target):
    print("attacking", flush=True)
    height = 9
    return height**height**height**height
