# does = "writes a byte of each of many huge pages to pipes and unmaps the pages: the pipes keep them in memory"
# accept = ["returned"]
# must_not = "privilege"
# control = "plain"
import ctypes
import fcntl
import mmap
import os
import struct

HUGE = 1 << 21


def answer(target):
    print("attacking", flush=True)
    libc = ctypes.CDLL(None)
    held = 0
    read, write = os.pipe()
    for _ in range(8):
        area = mmap.mmap(-1, 2 * HUGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        base = ctypes.c_char.from_buffer(area)
        start = -ctypes.addressof(base) % HUGE
        if hasattr(mmap, "MADV_HUGEPAGE"):
            area.madvise(mmap.MADV_HUGEPAGE, start - start % mmap.PAGESIZE, HUGE)
        area[start] = 1
        vector = struct.pack("PN", ctypes.addressof(base) + start, 1)
        held += libc.vmsplice(write, vector, ctypes.c_size_t(1), 0) == 1
        del base
        area.close()
    return f"GAINED {held} pages" if held else "refused"
