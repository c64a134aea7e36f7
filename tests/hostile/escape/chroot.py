# does = "changes its root, from which a way out of any other leads"
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
