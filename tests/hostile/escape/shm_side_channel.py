# /// hostile
# does = "leaves a message in shared memory"
# accept = ["returned"]
# must_not = "file"
# control = "plain"
# ///
def answer(target):
    print("attacking", flush=True)
    try:
        with open(target["shared"], "w") as file:
            file.write("a message")
    except OSError:
        return "refused"
