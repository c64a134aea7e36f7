# /// hostile
# does = "hangs ten thousand notes of a megabyte on an exception"
# accept = ["exception", "memory"]
def answer(target):
    print("attacking", flush=True)
    error = ValueError("noted")
    note = "x" * 10**6
    for _ in range(10_000):
        error.add_note(note)
    raise error
