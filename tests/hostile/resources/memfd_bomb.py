# does = "fills files that live in memory and have no name"
# accept = ["exception", "disk"]
# must_not = "memory"
# control = false # the size of a file is limited, sandbox or not
import os

    block = b"x" * 10**7
    kept = []
    while True:
        kept.append(os.memfd_create("anonymous"))
        for _ in range(100):
            os.write(kept[-1], block)
