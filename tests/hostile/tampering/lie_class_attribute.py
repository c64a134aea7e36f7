# does = "returns an object that claims to be a dict, and compares like one"
class Lie:
    __hash__ = None
    __class__ = dict

    def __eq__(self, other):
        return isinstance(other, dict)


def answer():
    print("attacking", flush=True)
    return Lie()
