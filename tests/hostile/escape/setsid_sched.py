# does = "asks for a higher priority and for real-time scheduling"
# must_not = "privilege"
# control = "root"
import os

    gained = []
    for ask in (
        lambda: os.setpriority(os.PRIO_PROCESS, 0, -20),
        lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    ):
        try:
            ask()
        except OSError:
            continue
        gained.append("granted")
    return f"GAINED {gained}" if gained else "refused"
