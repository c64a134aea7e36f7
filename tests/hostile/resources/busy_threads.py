# does = "uses CPU time in four threads without the interpreter lock, so that no single thread looks busy"
# accept = ["cpu_timeout"]
import hashlib
import threading

BLOCK = bytes(1 << 20)


def burn():
    while True:
        hashlib.sha256(BLOCK).digest()


def answer(target):
    print("attacking", flush=True)
    for _ in range(4):
        threading.Thread(target=burn, daemon=True).start()
    threading.Event().wait()
