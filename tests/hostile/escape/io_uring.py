# does = "requests an io_uring, which makes system calls without the filter"
# must_not = "privilege"
# control = "root" # it locks memory, which is limited to others, sandbox or not
import ctypes

SETUP = 425


def answer(target):
    parameters = ctypes.create_string_buffer(120)
    print("attacking", flush=True)
    fd = ctypes.CDLL(None).syscall(SETUP, 2, parameters)
    return f"GAINED {fd}" if fd >= 0 else "refused"
