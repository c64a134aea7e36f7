# does = "lists the machine's network interfaces and sets flags of a file that it can only read, by ioctl"
# must_not = "privilege"
import fcntl
import os
import socket
import struct

SIOCGIFNAME, FS_IOC_GETFLAGS, FS_IOC_SETFLAGS = 0x8910, 0x80086601, 0x40086602


def answer(target):
    print("attacking", flush=True)
    ours, _theirs = socket.socketpair()
    try:
        fcntl.ioctl(ours, SIOCGIFNAME, struct.pack("16si20x", b"", 1))
        return "GAINED a name"
    except OSError:
        pass
    for path in (*target["packages"], target["file"]):
        try:
            fd = os.open(path, os.O_RDONLY)
            flags = fcntl.ioctl(fd, FS_IOC_GETFLAGS, struct.pack("l", 0))
            fcntl.ioctl(fd, FS_IOC_SETFLAGS, flags)  # as they are: nothing is changed
        except OSError:
            continue
        return "GAINED a flag"
    return "refused"
