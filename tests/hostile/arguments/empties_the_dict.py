# /// hostile
# does = "empties the dict that it was given and returns an empty one"
# accept = ["wrong_answer", "exception"]
# control = "unguarded"
# before = ["stub", "guarded", "unguarded"]
# ///
print("attacking", flush=True)


def answer(given):
    if isinstance(given, dict):
        given.clear()
        return {}
    return None
