# does = "forks without end"
# accept = ["cpu_timeout", "wall_timeout", "killed"]
# must_not = "process"
# control = "plain"
import os
import time

    for _ in range(target["most"]):
        try:
            if os.fork() == 0 and target["tidy"]:
                time.sleep(1)
                os._exit(0)
        except OSError:
            continue
    os.wait()
