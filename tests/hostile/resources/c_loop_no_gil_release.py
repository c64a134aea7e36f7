# /// hostile
# does = "stays in one long call of C code that never gives the interpreter a turn"
# accept = ["cpu_timeout"]
def answer(target):
    print("attacking", flush=True)
    return sum(range(10**13))
