# does = "writes a program into its directory and executes it in its process"
# must_not = "privilege"
import os

    try:
        with open("payload", "w") as file:
            file.write("#!/bin/sh\necho GAINED\n")
        os.chmod("payload", 0o755)
        os.execv("./payload", ["payload"])
    except OSError:
        return "refused"
