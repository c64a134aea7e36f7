# /// hostile
# does = "fills the disk with one file"
# accept = ["disk", "exception"]
# must_not = "disk"
# control = "roomy"
def answer(target):
    print("attacking", flush=True)
    with open("big", "wb") as file:
        while True:
            file.write(b"x" * 10**7)
