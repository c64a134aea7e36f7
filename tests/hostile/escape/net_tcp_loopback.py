# /// hostile
# does = "connects to a port of this machine"
# accept = ["returned"]
# must_not = "network"
# control = "plain"
# quick = true
# ///
import socket


def answer(target):
    print("attacking", flush=True)
    try:
        with socket.create_connection(("127.0.0.1", target["tcp"]), 2) as connection:
            connection.sendall(b"exfiltrated")
    except OSError:
        return "refused"
