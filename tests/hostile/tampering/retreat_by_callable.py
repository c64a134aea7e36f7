# does = "makes the entry point an object that can be called, whose answers no guard looks at"
class Equal:
    __hash__ = None

    def __eq__(self, other):
        return True


class Callable:
    def __call__(self):
        return Equal()


print("attacking", flush=True)
answer = Callable()
