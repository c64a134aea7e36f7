# does = "asks the kernel for its mounts one by one, each with the path on the machine that it shows"
# must_not = "privilege"
# control = "plain" # Linux 6.8 or later
import ctypes
import struct

STATMOUNT, LISTMOUNT = 457, 458
ROOT, MOUNT_ROOT_AND_POINT = 2**64 - 1, 0x8 | 0x10


def answer(target):
    print("attacking", flush=True)
    libc = ctypes.CDLL(None)
    numbers = (ctypes.c_uint64 * 256)()
    asked = struct.pack("=IIQQ", 24, 0, ROOT, 0)
    found = libc.syscall(LISTMOUNT, asked, numbers, ctypes.c_size_t(256), 0)
    told = ctypes.create_string_buffer(4096)
    for number in numbers[: max(0, found)]:
        asked = struct.pack("=IIQQ", 24, 0, number, MOUNT_ROOT_AND_POINT)
        if libc.syscall(STATMOUNT, asked, told, ctypes.c_size_t(4096), 0) == 0:
            return "GAINED"
    return "refused"
