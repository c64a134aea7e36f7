# /// hostile
# does = "connects to a UNIX socket that has a name and no file"
# accept = ["returned"]
# must_not = "network"
# control = "plain"
# ///
import socket


def answer(target):
    print("attacking", flush=True)
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect("\0" + target["abstract"])
            connection.sendall(b"exfiltrated")
    except OSError:
        return "refused"
