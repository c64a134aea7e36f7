# /// hostile
# does = "computes an integer of three billion bits"
# accept = ["cpu_timeout", "memory"]
def answer(target):
    print("attacking", flush=True)
    return 11 ** (10**9)
