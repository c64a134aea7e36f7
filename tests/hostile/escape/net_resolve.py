# does = "resolves a host name, which could carry data outside"
# accept = ["returned", "exception"]
# must_not = "network"
# control = false # a name server of ours cannot be put in the place of the machine's
import socket

    try:
        socket.getaddrinfo("exfiltrated.invalid", 80)
    except OSError:
        return "refused"
