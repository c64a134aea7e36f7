# does = "prints one letter at a time forever, so that its output never stops"
# accept = ["wall_timeout"]
# limits = { wall_seconds = 2 }
import time

    while True:
        print(".", end="", flush=True)
        time.sleep(0.5)
