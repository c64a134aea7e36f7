# /// hostile
# does = "raises StopIteration, at which a loop of the test's over its answers ends"
def answer():
    print("attacking", flush=True)
    raise StopIteration
