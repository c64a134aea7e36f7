# does = "returns an object whose equality is a property"
class Equal:
    __hash__ = None
    __eq__ = property(lambda self: lambda other: True)


def answer():
    print("attacking", flush=True)
    return Equal()
