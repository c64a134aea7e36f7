# does = "returns a dict whose keys take forever to compare"
# accept = ["wrong_answer", "exception", "limit"]
# control = false  # it deceives no grader; some graders hang
# limits = { cpu_seconds = 2 }
class Key(str):
    def __eq__(self, other):
        while True:
            pass

    __hash__ = str.__hash__


def answer():
    print("attacking", flush=True)
    return {Key("00"): 0.5, Key("01"): 0.5}
