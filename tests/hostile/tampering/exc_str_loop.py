# does = "raises an exception whose message takes forever"
# accept = ["exception", "limit"]
# control = false # it deceives no grader; some graders hang
class Endless(Exception):
    def __str__(self):
        while True:
            pass


def answer():
    print("attacking", flush=True)
    raise Endless
