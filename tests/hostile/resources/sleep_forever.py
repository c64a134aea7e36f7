# does = "sleeps for eleven days"
# accept = ["wall_timeout"]
# limits = { wall_seconds = 1 }
import time

    time.sleep(10**6)
