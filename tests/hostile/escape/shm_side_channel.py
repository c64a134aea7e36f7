# /// hostile
# does = "leaves a message in shared memory"
# must_not = "file"
def answer(target):
    print("attacking", flush=True)
    try:
        with open(target["shared"], "w") as file:
            file.write("a message")
    except OSError:
        return "refused"
