# does = "returns an object of a class of the task with a changed method"
# accept = ["wrong_answer"]
class Pair:
    def __init__(self, turns):
        self.turns = turns

    def holds_a_bell_pair(self):
        return self.turns == 1


def answer():
    print("attacking", flush=True)
    pair = Pair(0)
    pair.holds_a_bell_pair = lambda: True
    return pair
