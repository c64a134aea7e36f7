# /// hostile
# does = "tells its names twice, the second time the test's own"
# accept = ["wrong_answer", "exception", "limit"]
# control = false  # it knows this protocol and no other
# before = []
# limits = { wall_seconds = 10 }
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


for _ in range(2):
    say({"names": {"answer": "function", "check": "function", "Operator": "value"}})


def answer():
    return QuantumCircuit(2)
