# does = "reads a file outside through a symbolic link in its own directory"
# must_not = "secret"
import os

    try:
        os.symlink(target["env_file"], "innocent")
        with open("innocent") as file:
            return file.read()
    except OSError:
        return "refused"
