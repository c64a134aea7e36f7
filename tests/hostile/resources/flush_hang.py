# does = "replaces its output by streams that never finish a flush"
# accept = ["returned", "wall_timeout"]
# limits = { wall_seconds = 1 }
import sys
import time


class Sink:
    def write(self, text):
        return len(text)

    def flush(self):
        time.sleep(10**6)


def answer(target):
    print("attacking", flush=True)
    sys.stdout = sys.stderr = Sink()
    return "returned"
