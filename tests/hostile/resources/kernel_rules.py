# does = "makes the kernel store rules and filters, which count as memory of no process"
# accept = ["returned"]
# must_not = "privilege"
# control = "plain" # Linux 6.7 or later, with Landlock
import ctypes
import fcntl
import os
import struct

CREATE_RULESET, ADD_RULE, NET_PORT, BIND = 444, 445, 2, 1
LOCK = struct.Struct("hhqqi")
MANY = 20_000


def rules(libc):
    """Landlock rules, one for each port."""
    attributes = struct.pack("=QQ", 0, BIND)
    ruleset = libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    return sum(
        libc.syscall(ADD_RULE, ruleset, NET_PORT, struct.pack("=QQ", BIND, port), 0) == 0 for port in range(MANY)
    )


def locks():
    """Locks on single bytes of a file of its own."""
    fd = os.open("locked", os.O_RDWR | os.O_CREAT, 0o600)
    for start in range(0, 2 * MANY, 2):
        fcntl.fcntl(fd, fcntl.F_SETLK, LOCK.pack(fcntl.F_WRLCK, 0, start, 1, 0))
    found = fcntl.fcntl(os.open("locked", os.O_RDWR), 36, LOCK.pack(fcntl.F_WRLCK, 0, 2, 1, 0))
    return MANY if LOCK.unpack(found)[0] != fcntl.F_UNLCK else 0


def answer(target):
    print("attacking", flush=True)
    libc = ctypes.CDLL(None)
    try:
        kept = rules(libc) + locks()
    except OSError:
        return "refused"
    return f"GAINED {kept}" if kept >= MANY else "refused"
