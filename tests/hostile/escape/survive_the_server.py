# does = "tries to survive its server: without a signal at its parent's death, in a new session and group"
# accept = ["wall_timeout"]
# must_not = "process"
# control = false # the server ends what it started by its process group, sandbox or not
# limits = { wall_seconds = 1 }
import ctypes
import os
import signal
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def answer(target):
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_PDEATHSIG, 0)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 0)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    print("attacking", flush=True)
    try:
        os.setpgid(0, os.getppid())
    except OSError:
        pass
    time.sleep(10**6)
