# must_not = "network"
import socket


def answer(target):
    print("attacking", flush=True)
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(ADDRESS)
            connection.sendall(b"exfiltrated")
    except OSError:
        return "refused"


# /// net_unix_abstract
# does = "connects to a UNIX socket that has a name and no file"
# ADDRESS = '"\0" + target["abstract"]'

# /// net_unix_path
# does = "connects to a UNIX socket in the file system, as a container engine has one"
# ADDRESS = 'target["socket"]'
