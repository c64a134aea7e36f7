# does = "lowers the priority and the cores of a process outside and of its group"
# must_not = "neighbour"
import os


def answer(target):
    pid = target["neighbour"]["pid"]
    print("attacking", flush=True)
    for harm in (
        lambda: os.sched_setaffinity(pid, {0}),
        lambda: os.setpriority(os.PRIO_PROCESS, pid, 7),
        lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)),
        lambda: os.setpriority(os.PRIO_PGRP, pid, 9),
    ):
        try:
            harm()
        except OSError:
            continue
