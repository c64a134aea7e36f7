# does = "sets how deep the guards of this executor look into a value to less than nothing"
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
