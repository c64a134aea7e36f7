# does = "raises an exception with a message of a hundred megabytes"
# accept = ["exception", "memory"]
    raise ValueError("x" * 10**8)
