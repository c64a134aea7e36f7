# /// hostile
# does = "asks for a hundred gigabytes at once"
# accept = ["memory"]
def answer(target):
    print("attacking", flush=True)
    return bytearray(10**11)
