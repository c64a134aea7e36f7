# /// hostile
# does = "raises StopIteration, at which a loop of the test's over its answers ends"
# accept = ["wrong_answer", "exception"]
# control = "verdict"
# before = ["stub", "guarded", "unguarded"]
# ///
def answer():
    print("attacking", flush=True)
    raise StopIteration
