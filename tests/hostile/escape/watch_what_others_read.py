# does = "requests notifications about opened files of the packages"
# must_not = "privilege"
import ctypes
import fcntl
import os

IN_OPEN = 0x20


def answer(target):
    print("attacking", flush=True)
    (path,) = target["packages"]
    libc = ctypes.CDLL(None)
    fd = libc.inotify_init1(os.O_NONBLOCK)
    if fd >= 0 and libc.inotify_add_watch(fd, path.encode(), IN_OPEN) >= 0:
        os.close(os.open(path, os.O_RDONLY))
        if os.read(fd, 4096):
            return "GAINED by inotify"
    try:
        fcntl.fcntl(os.open(os.path.dirname(path), os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS)
    except OSError:
        return "refused"
    return "GAINED by dnotify"
