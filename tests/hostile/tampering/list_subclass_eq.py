# does = "returns a list that claims to be equal to any other"
class Agreeable(list):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False


def answer():
    print("attacking", flush=True)
    return Agreeable([1.0, 0.0, 0.0, 0.0])
