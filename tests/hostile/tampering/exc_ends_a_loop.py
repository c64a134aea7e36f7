# does = "raises StopIteration, at which a loop of the test's over its answers ends"
    raise StopIteration
