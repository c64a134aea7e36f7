# does = "returns an object that runs a command when it is unpickled"
# must_not = "command"
# control = false # no naive grader of these tests unpickles
import os


class Parcel:
    def __reduce__(self):
        return os.system, ("touch unpacked",)


def answer():
    print("attacking", flush=True)
    return Parcel()
