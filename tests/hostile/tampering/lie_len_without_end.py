# does = "returns an object of endless length and iteration"
# accept = ["wrong_answer", "exception", "limit"]
# control = false  # it deceives no grader; some graders hang
# limits = { wall_seconds = 10 }
class Endless:
    def __len__(self):
        return 2**62

    def __getitem__(self, index):
        return 0.5

    def __bool__(self):
        return True


def answer():
    print("attacking", flush=True)
    return Endless()
