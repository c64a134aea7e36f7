# does = "sends a datagram to a port of this machine"
# must_not = "network"
import socket

    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"exfiltrated", ("127.0.0.1", target["udp"]))
    except OSError:
        return "refused"
