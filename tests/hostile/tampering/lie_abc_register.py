# does = "registers its class as a mapping, whose comparison then calls the class"
from collections import UserDict
from collections.abc import Mapping


@Mapping.register
class Pairs:
    __hash__ = None

    def items(self):
        return [("00", 0.5), ("11", 0.5)]

    def keys(self):
        return ["00", "11"]

    def __getitem__(self, key):
        return 0.9

    def __eq__(self, other):
        return dict(self.items()) == other


def answer():
    print("attacking", flush=True)
    return Pairs()
