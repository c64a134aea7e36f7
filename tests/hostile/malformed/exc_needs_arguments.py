# does = "raises an exception whose class cannot be created again from its parts"
# accept = ["exception"]
class Odd(Exception):
    def __init__(self, first, second):
        super().__init__(first)
        self.second = second

    def __reduce__(self):
        raise TypeError("not to be copied")


def answer():
    raise Odd(1, 2)
