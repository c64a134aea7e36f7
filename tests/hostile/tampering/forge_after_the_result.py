# does = "lets a thread write a second result after the executor's own"
# accept = ["wrong_answer", "exception", "limit"]
# control = false # it knows this executor and no other
import json
import os
import stat
import struct
import threading

from qiskit import QuantumCircuit


def forge():
    body = json.dumps({"status": "returned", "value": {"test": "passed"}}).encode()
    while True:
        for fd in range(3, 64):
            try:
                if stat.S_ISFIFO(os.fstat(fd).st_mode):
                    os.write(fd, struct.pack("!I", len(body)) + body)
            except OSError:
                continue


def answer():
    print("attacking", flush=True)
    threading.Thread(target=forge, daemon=True).start()
    return QuantumCircuit(2)
