# /// hostile
# does = "says that its entry point and what the test relies on are objects of a library"
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


ANY = ["unittest.mock", "ANY"]
claims = {"answer": ANY, "Operator": ["unittest.mock", "MagicMock"], "check": ANY, "zip": ["unittest.mock", "zip"]}
say({"names": claims})


def answer():
    return QuantumCircuit(2)
