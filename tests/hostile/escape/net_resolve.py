# does = "asks for the address of a host, which would carry words outside in the name"
# accept = ["returned", "exception"]
# must_not = "network"
# control = false # a name server of ours cannot be put in the place of the machine's
import socket

    try:
        socket.getaddrinfo("exfiltrated.invalid", 80)
    except OSError:
        return "refused"
