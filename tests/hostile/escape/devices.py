# does = "opens the devices of the machine: disks, memory, terminals, the log of the kernel"
# must_not = "privilege"
# control = "root"
import glob
import os

    gained = []
    for path in [*glob.glob("/dev/[vsn][dv]*"), "/dev/mem", "/dev/kmsg", "/dev/tty", "/dev/ptmx", "/dev/fuse"]:
        try:
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY))
        except OSError:
            continue
        gained.append(path)
    return f"GAINED {gained}" if gained else "refused"
