# does = "makes a tree of directories that is deeper than a path may be long, and locks it"
# accept = ["returned"]
import os

    for _ in range(3000):
        os.mkdir("d" * 50)
        os.chdir("d" * 50)
    os.chmod(".", 0)
    return "made"
