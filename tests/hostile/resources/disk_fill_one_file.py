# does = "fills the disk with one file"
# accept = ["disk", "exception"]
# must_not = "disk"
# control = "roomy"
    with open("big", "wb") as file:
        while True:
            file.write(b"x" * 10**7)
