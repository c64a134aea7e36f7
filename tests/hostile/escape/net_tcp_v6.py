# /// hostile
# does = "connects to a port of this machine by its IPv6 address"
# accept = ["returned"]
# must_not = "network"
# control = "plain"
# ///
import socket


def answer(target):
    print("attacking", flush=True)
    try:
        with socket.create_connection(("::1", target["tcp6"]), 2) as connection:
            connection.sendall(b"exfiltrated")
    except OSError:
        return "refused"
