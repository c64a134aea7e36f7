# does = "lets a thread raise SystemExit inside the code that called it"
# accept = ["exception", "wrong_answer", "limit"]
# control = false # it succeeds only at times
# limits = { wall_seconds = 4 }
import ctypes
import threading
import time

from qiskit import QuantumCircuit


def interrupt(thread):
    while True:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(SystemExit))
        time.sleep(0.001)


def answer():
    print("attacking", flush=True)
    threading.Thread(target=interrupt, args=(threading.get_ident(),), daemon=True).start()
    return QuantumCircuit(2)
