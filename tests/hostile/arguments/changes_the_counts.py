# does = "inserts its counts into its dict argument"
# control = "unguarded"
print("attacking", flush=True)


def answer(given):
    if isinstance(given, dict):
        given.clear()
        given["0"] = 1
        return {"0": 1.0}
    return None
