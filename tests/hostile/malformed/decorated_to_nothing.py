# does = "has a decorator that forgets to return the function"
# accept = ["no_entry"]
def timed(function):
    print("timing", function)


@timed
def answer():
    return 1
