# does = "raises an exception with a hundred thousand causes, the first of which is caused by the last"
# accept = ["exception"]
    first = error = ValueError(0)
    for number in range(1, 100_000):
        follower = ValueError(number)
        follower.__cause__ = error
        error = follower
    first.__cause__ = error
    raise error
