# /// hostile
# does = "doubles a string until it does not fit"
# accept = ["memory"]
# must_not = "memory"
# control = "roomy"
def answer(target):
    print("attacking", flush=True)
    text = "qubit"
    while True:
        text += text
