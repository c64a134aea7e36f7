# does = "opens the files of its framework for writing"
# must_not = "privilege"
# control = "root" # another user need not own the packages
# framework = "python"
import json
import sys

    for path in [json.__file__, sys.executable, *target["packages"]]:
        try:
            with open(path, "ab"):
                return "GAINED"
        except OSError:
            continue
    return "refused"
