# does = "looks for descriptors that were left open for it, beyond its streams and the pipe of its result"
# must_not = "privilege"
# control = false # what is not needed is closed, sandbox or not
import os

    found = []
    for fd in range(3, 65536):
        try:
            found.append((fd, os.fstat(fd).st_mode >> 12))
        except OSError:
            continue
    fifo = 0o010000 >> 12
    return f"GAINED {found}" if [kind for _, kind in found] != [fifo] else "only the result"
