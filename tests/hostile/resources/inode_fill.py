# does = "makes directories until no more can be made"
# accept = ["disk", "exception"]
import itertools
import os

    for number in itertools.count():
        os.mkdir(f"d{number}")
