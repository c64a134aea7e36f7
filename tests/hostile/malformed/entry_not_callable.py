# does = "has a number where the entry point should be"
# accept = ["no_entry"]
answer = 42
