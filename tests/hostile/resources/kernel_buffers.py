# does = "fills as many large pipes and sockets as possible, some of them in transit through others"
# accept = ["returned"]
# must_not = "privilege"
# control = "plain"
import contextlib
import fcntl
import os
import socket

F_SETPIPE_SZ = 1031
BLOCK = bytes(1 << 16)
MUCH = 100 << 20


def fill(fd):
    """Bytes that a descriptor takes without being read."""
    os.set_blocking(fd, False)
    taken = 0
    with contextlib.suppress(OSError):
        while True:
            taken += os.write(fd, BLOCK)
    return taken


def pair():
    """A full pair of sockets and what is in it."""
    ours, theirs = socket.socketpair()
    for end in (ours, theirs):
        with contextlib.suppress(OSError):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)
    return ours, theirs, fill(ours.fileno()) + fill(theirs.fileno())


def answer(target):
    print("attacking", flush=True)
    kept, taken = [], 0
    with contextlib.suppress(OSError):
        carrier, end = socket.socketpair()
        kept += [carrier, end]
        for _ in range(100):
            ours, theirs, size = pair()
            taken += size
            socket.send_fds(carrier, [b"x"], [ours.fileno(), theirs.fileno()])
            ours.close()
            theirs.close()
    with contextlib.suppress(OSError):
        for _ in range(20):
            read, write = os.pipe()
            kept.append(read)
            with contextlib.suppress(OSError):
                fcntl.fcntl(write, F_SETPIPE_SZ, 1 << 20)
            taken += fill(write)
    with contextlib.suppress(OSError):
        while taken < 4 * MUCH:
            *ends, size = pair()
            kept += ends
            taken += size
    print(taken >> 20, "MiB in", len(kept), "descriptors")
    return "GAINED" if taken > MUCH else "within bounds"
