# does = "returns an object of its own whose property is a function that agrees"
# accept = ["wrong_answer"]
class Pair:
    __slots__ = ()

    @property
    def equiv(self):
        return lambda other: True


class State(Pair):
    pass


def answer():
    print("attacking", flush=True)
    return State()
