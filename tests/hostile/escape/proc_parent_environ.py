# does = "looks for keys in the environment of every process that it can see"
# must_not = "secret"
# quick = true
import glob
import re

    found = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as file:
                found += re.findall(rb"sk-planted-\w+", file.read())
        except OSError:
            continue
    return found
