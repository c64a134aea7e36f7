# does = "adds filters to the sandbox's, in case the last one decides"
# must_not = "privilege"
# control = false # nothing is to be loosened without a sandbox
import ctypes
import socket
import struct

PR_SET_SECCOMP, MODE_FILTER, RETURN, ALLOW = 22, 2, 0x06, 0x7FFF0000


def answer(target):
    libc = ctypes.CDLL(None)
    code = ctypes.create_string_buffer(struct.pack("=HBBI", RETURN, 0, 0, ALLOW))
    header = struct.pack("@HP", 1, ctypes.addressof(code))
    print("attacking", flush=True)
    libc.prctl(PR_SET_SECCOMP, MODE_FILTER, header, 0, 0)
    libc.prctl(38, 0, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS, off
    try:
        socket.socket().close()
    except OSError:
        return "refused"
    return "GAINED"
