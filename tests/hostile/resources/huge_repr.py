# does = "returns an object whose printed form is a gigabyte long"
# accept = ["memory", "returned", "output_limit"]
class Long:
    def __repr__(self):
        return "x" * 10**9


def answer(target):
    print("attacking", flush=True)
    return Long()
