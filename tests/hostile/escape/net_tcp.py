# must_not = "network"
import socket


def answer(target):
    print("attacking", flush=True)
    try:
        with socket.create_connection(ADDRESS, 2) as connection:
            connection.sendall(b"exfiltrated")
    except OSError:
        return "refused"


# /// net_tcp_loopback
# does = "connects to a port of this machine"
# ADDRESS = '("127.0.0.1", target["tcp"])'

# /// net_tcp_v6
# does = "connects to a port of this machine by its IPv6 address"
# ADDRESS = '("::1", target["tcp6"])'
