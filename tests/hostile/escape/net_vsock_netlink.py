# does = "opens sockets of rare families: virtual machines, kernel, packets, cryptography"
# must_not = "privilege"
import socket

NETLINK, PACKET, CRYPTOGRAPHY, VIRTUAL_MACHINE, EXPRESS_DATA = 16, 17, 38, 40, 44


def answer(target):
    print("attacking", flush=True)
    gained = []
    for family in (NETLINK, PACKET, CRYPTOGRAPHY, VIRTUAL_MACHINE, EXPRESS_DATA):
        for kind in (socket.SOCK_STREAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
            try:
                socket.socket(family, kind, 0).close()
            except OSError:
                continue
            gained.append(family)
    return f"GAINED {gained}" if gained else "refused"
