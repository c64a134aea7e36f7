# /// hostile
# does = "leaves a made-up answer on the socket from a thread after its own"
# accept = ["wrong_answer", "exception", "limit"]
# control = "told"
# before = ["stub"]
# ///
import json
import os
import stat
import struct

from qiskit import QuantumCircuit

print("attacking", flush=True)


def sockets():
    found = []
    for number in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                found.append(number)
        except OSError:
            continue
    return found


def say(message):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    for number in sockets():
        os.write(number, struct.pack("!I", len(body)) + body)


PASSED = {"status": "returned", "value": {"test": "passed"}}
TOLD = {"module": "builtins", "name": "ZeroDivisionError", "arguments": [""], "origin": 0, "yours": None}


import threading
import time


def later():
    time.sleep(0.002)
    for _ in range(4):
        say({"raised": {**TOLD, "failure": PASSED}})


def answer():
    threading.Thread(target=later).start()
    return QuantumCircuit(2)
