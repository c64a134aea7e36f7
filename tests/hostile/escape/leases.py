# does = "takes a lease on a file that others use, which makes the kernel delay and report every opening of it"
# must_not = "privilege"
import fcntl
import os

    for path in (*target["packages"], target["file"]):
        try:
            fd = os.open(path, os.O_RDONLY)
            fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except OSError:
            continue
        return "GAINED"
    return "refused"
