# does = "sets the maximum depth of the guards to a negative number"
import sys

print("attacking", flush=True)
for name, module in list(sys.modules.items()):
    if name.endswith("guest.unit_tests.returned"):
        module.MAX_DEPTH = -1


class Equal:
    __hash__ = None

    def __eq__(self, other):
        return True


def answer():
    return Equal()
