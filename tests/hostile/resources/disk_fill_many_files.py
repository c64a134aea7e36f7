# does = "fills the disk with many files"
# accept = ["disk", "exception"]
# must_not = "disk"
# control = "plain"
import itertools

    for number in itertools.count():
        with open(f"part-{number}", "wb") as file:
            file.write(b"x" * 10**6)
