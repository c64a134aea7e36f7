# does = "changes its root directory, which allows leaving any other root"
# must_not = "privilege"
# control = "root"
import os


def answer(target):
    os.mkdir("root")
    print("attacking", flush=True)
    try:
        os.chroot("root")
    except OSError:
        return "refused"
    return "GAINED"
