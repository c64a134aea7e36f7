# does = "makes symbolic links in circles until no more can be made"
# accept = ["disk", "exception"]
import itertools
import os

    for number in itertools.count():
        os.symlink(f"l{number + 1}", f"l{number}")
