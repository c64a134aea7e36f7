# does = "adds ten thousand notes of a megabyte to an exception"
# accept = ["exception", "memory"]
    error = ValueError("noted")
    note = "x" * 10**6
    for _ in range(10_000):
        error.add_note(note)
    raise error
