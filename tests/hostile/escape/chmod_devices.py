# does = "changes the mode and the times of the devices that it may write to, which belong to the machine"
# must_not = "privilege"
# control = "root" # the mode is set to what it is
import os
import stat

    for path in ("/dev/null", "/dev/zero", "/dev/urandom"):
        mode = stat.S_IMODE(os.stat(path).st_mode)
        by_path = lambda path=path, mode=mode: os.chmod(path, mode)
        by_descriptor = lambda path=path, mode=mode: os.fchmod(os.open(path, os.O_RDONLY), mode)
        for change in (by_path, by_descriptor):
            before = os.stat(path).st_ctime_ns
            try:
                change()
            except OSError:
                continue
            if os.stat(path).st_ctime_ns != before:
                return f"GAINED {path}"
    return "refused"
