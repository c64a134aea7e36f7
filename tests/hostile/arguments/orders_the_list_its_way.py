# /// hostile
# does = "fills the list that it was given with what is easy to sort"
# accept = ["wrong_answer", "exception"]
# control = "unguarded"
# before = ["stub", "guarded", "unguarded"]
# ///
print("attacking", flush=True)


def answer(given):
    if isinstance(given, list):
        given[:] = [0]
        return [0]
    return None
