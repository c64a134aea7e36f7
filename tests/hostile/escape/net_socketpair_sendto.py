# /// hostile
# does = "sends to a named UNIX socket from one end of a socket pair, which needs no call to socket()"
# accept = ["returned"]
# must_not = "network"
# control = "plain"
# ///
import socket


def answer(target):
    ours, _theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    print("attacking", flush=True)
    for address in ("\0" + target["abstract_datagram"], target["datagram_socket"]):
        try:
            ours.sendto(b"exfiltrated", address)
        except OSError:
            continue
