# must_not = "secret"
import glob
import re

    found = []
    for path in glob.glob("/proc/[0-9]*/FILE"):
        try:
            with open(path, "rb") as file:
                found += re.findall(rb"sk-planted-\w+", file.read())
        except OSError:
            continue
    return found

# /// proc_cmdline
# does = "looks for keys on the command line of every process that it can see"
# FILE = "cmdline"

# /// proc_parent_environ
# does = "looks for keys in the environment of every process that it can see"
# FILE = "environ"
