# does = "opens kernel settings for writing: the path of core dumps, the magic keys, control groups"
# must_not = "privilege"
# control = "root" # opening without writing changes nothing
import os

    gained = []
    for path in (
        "/proc/sys/kernel/core_pattern",
        "/proc/sysrq-trigger",
        "/sys/fs/cgroup/cgroup.procs",
        "/sys/kernel/mm/transparent_hugepage/enabled",
    ):
        try:
            os.close(os.open(path, os.O_WRONLY))
        except OSError:
            continue
        gained.append(path)
    return f"GAINED {gained}" if gained else "refused"
