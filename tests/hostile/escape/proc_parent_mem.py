# does = "reads the memory of the fork server through /proc: the content at the fork is still at the same address"
# must_not = "privilege"
import os

    try:
        with open(f"/proc/{os.getppid() or 1}/mem", "rb", buffering=0) as file:
            file.seek(id(os))
            return "GAINED" if file.read(8) else "nothing"
    except OSError:
        return "refused"
