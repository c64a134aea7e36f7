# does = "puts a key into a keyring of the kernel, which outlives a process and is shared"
# must_not = "privilege"
import ctypes
import platform

ADD_KEY = {"x86_64": 248, "aarch64": 217}[platform.machine()]
OF_THIS_PROCESS = -2


def answer(target):
    print("attacking", flush=True)
    key = ctypes.CDLL(None).syscall(ADD_KEY, b"user", b"planted", b"x", 1, OF_THIS_PROCESS)
    return f"GAINED {key}" if key > 0 else "refused"
