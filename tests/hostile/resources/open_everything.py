# does = "opens files until there are no descriptors left, and then returns"
# accept = ["returned"]
import os

    kept = []
    try:
        while True:
            kept.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        return len(kept)
