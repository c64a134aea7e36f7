# does = "locks files that all candidates read, as messages to others; here it reads them itself, through a second descriptor"
# must_not = "privilege"
import fcntl
import os
import struct

F_OFD_GETLK, F_OFD_SETLK = 36, 37
LOCK = struct.Struct("hhqqi")  # type, whence, start, length, pid


def answer(target):
    print("attacking", flush=True)
    (path,) = target["packages"]
    one, other = (os.open(path, os.O_RDONLY) for _ in range(2))
    try:
        fcntl.flock(one, fcntl.LOCK_EX)
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return "GAINED by flock"
    except OSError:
        pass
    try:
        fcntl.fcntl(one, F_OFD_SETLK, LOCK.pack(fcntl.F_RDLCK, 0, 0, 1, 0))
        asked = fcntl.fcntl(other, F_OFD_GETLK, LOCK.pack(fcntl.F_WRLCK, 0, 0, 1, 0))
    except OSError:
        return "refused"
    return "GAINED by a record lock" if LOCK.unpack(asked)[0] == fcntl.F_RDLCK else "not told"
