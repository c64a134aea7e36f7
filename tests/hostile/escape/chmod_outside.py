# does = "removes all permissions of a file outside, with every call that can change a mode"
# accept = ["returned", "exception"]
# must_not = "file"
import ctypes
import os


def answer(target):
    libc = ctypes.CDLL(None)
    print("attacking", flush=True)
    for harm in (
        lambda: os.chmod(target["file"], 0),
        lambda: os.chmod(os.path.basename(target["file"]), 0, dir_fd=os.open(target["folder"], os.O_PATH)),
        lambda: os.fchmod(os.open(target["file"], os.O_RDONLY), 0),
        lambda: libc.syscall(452, -100, os.fsencode(target["file"]), 0, 0),  # fchmodat2
    ):
        try:
            harm()
        except OSError:
            continue
