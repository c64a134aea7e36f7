# does = "closes its output and its result pipe, and continues to sleep"
# accept = ["wall_timeout"]
# limits = { wall_seconds = 1 }
import os
import time

    os.closerange(0, 4096)
    time.sleep(10**6)
