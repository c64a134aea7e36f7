# does = "asks for a thread whose stack is larger than its memory limit"
# accept = ["exception", "memory"]
import threading


def answer(target):
    threading.stack_size(1 << 34)
    print("attacking", flush=True)
    threading.Thread(target=print).start()
