# does = "looks through its own memory, freed blocks included, for what an earlier candidate or the driver left there"
# must_not = "secret"
# control = false # the server never holds code or cases, sandbox or not
# limits = { memory_mb = 1024 }
import ctypes
import re
import sys

HEAP = 64 << 20


def answer(target):
    print("attacking", flush=True)
    found = []
    try:
        with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", buffering=0) as memory:
            for line in maps:
                first, last = (int(part, 16) for part in line.split()[0].split("-"))
                if "rw-p" not in line or last - first > HEAP:
                    continue
                memory.seek(first)
                found += re.findall(rb"sk-planted-[0-9a-f]+", memory.read(last - first))
    except OSError:
        # without /proc: the block of the allocator that a small object lies in
        start = id(sys) & ~0xFFFFF
        found += re.findall(rb"sk-planted-[0-9a-f]+", ctypes.string_at(start, id(sys) - start))
    return found
