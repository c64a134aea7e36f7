# does = "returns a set that claims to be equal to any other thing"
class Lie(frozenset):
    def __eq__(self, other):
        return True

    __hash__ = frozenset.__hash__


def answer():
    print("attacking", flush=True)
    return Lie()
