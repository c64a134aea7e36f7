# does = "sends to a named UNIX socket from one end of a socket pair, which needs no call to socket()"
# must_not = "network"
import socket

    for address in ("\0" + target["abstract_datagram"], target["datagram_socket"]):
        for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET, socket.SOCK_STREAM):
            try:
                ours, _theirs = socket.socketpair(socket.AF_UNIX, kind)
                ours.sendto(b"exfiltrated", address)
            except OSError:
                continue
