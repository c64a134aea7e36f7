# does = "returns a list that says it has one item and yields them without end"
# accept = ["returned", "cpu_timeout", "memory", "exception"]
# framework = "qiskit"
class Endless(list):
    def __iter__(self):
        while True:
            yield 0.5


def answer(target):
    print("attacking", flush=True)
    return Endless([1])
