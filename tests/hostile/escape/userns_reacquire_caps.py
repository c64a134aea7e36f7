# does = "creates a user namespace, in which it would have all capabilities"
# must_not = "privilege"
import ctypes

NEW_USER, NEW_MOUNT = 0x10000000, 0x00020000


def answer(target):
    print("attacking", flush=True)
    return "GAINED" if ctypes.CDLL(None).unshare(NEW_USER | NEW_MOUNT) == 0 else "refused"
