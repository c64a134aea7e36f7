# does = "returns a member of an enumeration that equals everything"
import enum


class Lie(enum.Enum):
    HALF = 0.5

    def __eq__(self, other):
        return True

    __hash__ = None


def answer():
    print("attacking", flush=True)
    return Lie.HALF
