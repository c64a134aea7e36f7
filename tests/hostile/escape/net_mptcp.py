# does = "connects by multipath TCP, which Landlock's rules for TCP do not cover"
# must_not = "network"
import socket

MPTCP = 262


def answer(target):
    print("attacking", flush=True)
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM, MPTCP) as connection:
            connection.settimeout(2)
            connection.connect(("127.0.0.1", target["tcp"]))
            connection.sendall(b"exfiltrated")
    except OSError:
        return "refused"
