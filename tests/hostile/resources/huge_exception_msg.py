# /// hostile
# does = "raises an exception with a message of a hundred megabytes"
# accept = ["exception", "memory"]
def answer(target):
    print("attacking", flush=True)
    raise ValueError("x" * 10**8)
