# does = "fills the directory of shared memory"
# accept = ["disk", "exception"]
# must_not = "file"
# control = "plain"
    with open(target["shared"], "wb") as file:
        for _ in range(target["most"]):
            file.write(b"x" * 10**6)
