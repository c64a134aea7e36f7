# does = "reads a file with keys from the folder of the user"
# must_not = "secret"
    try:
        with open(target["env_file"]) as file:
            return file.read()
    except OSError:
        return "refused"
