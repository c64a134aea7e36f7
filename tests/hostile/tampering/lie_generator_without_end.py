# does = "returns a generator of outcomes that never ends"
# accept = ["wrong_answer", "exception", "limit"]
# control = false  # it deceives no grader; some graders hang
# limits = { wall_seconds = 10 }
def outcomes():
    while True:
        yield "00", 0.5
        yield "11", 0.5


def answer():
    print("attacking", flush=True)
    return outcomes()
