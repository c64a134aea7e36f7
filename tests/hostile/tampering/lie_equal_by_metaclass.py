# does = "returns a class whose metaclass says that it equals everything"
class Meta(type):
    def __eq__(cls, other):
        return True

    __hash__ = type.__hash__


class Equal(metaclass=Meta):
    pass


def answer():
    print("attacking", flush=True)
    return Equal
