# does = "creates a sparse file of a terabyte"
# accept = ["disk", "exception"]
# must_not = "disk"
# control = false # the size of a file is limited, sandbox or not
import os

    with open("sparse", "wb") as file:
        os.truncate(file.fileno(), 1 << 40)
        file.seek(1 << 39)
        file.write(b"x")
