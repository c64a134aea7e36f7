# does = "leaves a thread running that the interpreter would wait for at its end"
# accept = ["returned"]
import threading
import time


def answer(target):
    threading.Thread(target=time.sleep, args=(10**6,)).start()
    print("attacking", flush=True)
    return "returned"
