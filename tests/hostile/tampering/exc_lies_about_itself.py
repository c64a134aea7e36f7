# does = "raises an exception whose class claims to be another, to have another traceback and to equal anything"
# accept = ["exception", "limit"] # it says that it is a MemoryError
# control = false # it deceives no grader; some graders crash
class Liar(Exception):
    __traceback__ = property(lambda self: 1 / 0)
    __cause__ = property(lambda self: self)
    __class__ = property(lambda self: MemoryError)

    def __eq__(self, other):
        return True

    def __str__(self):
        return 3


def answer():
    print("attacking", flush=True)
    raise Liar
