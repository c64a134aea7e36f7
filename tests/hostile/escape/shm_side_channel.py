# does = "leaves a message in shared memory"
# must_not = "file"
    try:
        with open(target["shared"], "w") as file:
            file.write("a message")
    except OSError:
        return "refused"
