# does = "fills the disk with files that it has already deleted, and keeps them open"
# accept = ["disk", "exception", "cpu_timeout"]
import os

    kept = []
    while True:
        file = open("ghost", "wb")
        os.unlink("ghost")
        kept.append(file)
        for _ in range(7):
            file.write(b"x" * 10**6)
        file.flush()
