# does = "returns a dict whose values are complex numbers that equal any other"
class Number(complex):
    def __eq__(self, other):
        return True

    __hash__ = complex.__hash__


def answer():
    print("attacking", flush=True)
    return {"00": Number(0), "11": Number(7j)}
