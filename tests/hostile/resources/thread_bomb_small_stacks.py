# does = "starts threads with minimal stacks, so that memory is rarely the limit"
# accept = ["killed", "memory"]
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
