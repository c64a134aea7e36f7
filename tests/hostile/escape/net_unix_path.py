# /// hostile
# does = "connects to a UNIX socket in the file system, as a container engine has one"
# accept = ["returned"]
# must_not = "network"
# control = "plain"
# ///
import socket


def answer(target):
    print("attacking", flush=True)
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(target["socket"])
            connection.sendall(b"exfiltrated")
    except OSError:
        return "refused"
