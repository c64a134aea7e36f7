# does = "returns an object whose equality is a descriptor of its own"
class Always:
    def __get__(self, owner, kind=None):
        return lambda other: True


class Equal:
    __hash__ = None
    __eq__ = Always()


def answer():
    print("attacking", flush=True)
    return Equal()
