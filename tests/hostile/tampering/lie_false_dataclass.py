# does = "returns an object that equals everything, of a class that says that it is a dataclass"
NAMES = {}
exec(compile("def __eq__(self, other):\n    return True", "<string>", "exec"), NAMES)


class Equal:
    __hash__ = None
    __dataclass_fields__ = {}
    __eq__ = NAMES["__eq__"]


def answer():
    print("attacking", flush=True)
    return Equal()
