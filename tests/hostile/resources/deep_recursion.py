# does = "calls itself without end"
# accept = ["exception"]
def answer(target):
    print("attacking", flush=True)

    def again(depth):
        return again(depth + 1)

    return again(0)
