# does = "starts threads whose stacks are as small as they may be, so that it is not memory that stops it"
# accept = ["killed"]
# limits = { memory_mb = 1024 }
import threading


def answer(target):
    threading.stack_size(32768)
    gate = threading.Event()
    print("attacking", flush=True)
    while True:
        try:
            threading.Thread(target=gate.wait, daemon=True).start()
        except RuntimeError:
            gate.wait()
