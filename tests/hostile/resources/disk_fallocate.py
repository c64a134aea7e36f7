# does = "reserves a hundred gigabytes of disk without writing them"
# accept = ["disk", "exception"]
# must_not = "disk"
# control = false # the size of a file is limited, sandbox or not
import os

    with open("reserved", "wb") as file:
        os.posix_fallocate(file.fileno(), 0, 10**11)
