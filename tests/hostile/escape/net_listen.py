# does = "listens on a port of this machine"
# must_not = "privilege"
import socket

    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            return f"GAINED {server.getsockname()}"
    except OSError:
        return "refused"
