# /// hostile
# does = "writes the result of a passed test into its own result pipe and serves its wrong answer in order"
# accept = ["wrong_answer", "exception"]
# control = false  # it knows this protocol and no other
# before = []
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


def answer():
    body = json.dumps(PASSED).encode()
    for number in range(3, 64):
        try:
            if stat.S_ISFIFO(os.fstat(number).st_mode):
                os.write(number, struct.pack("!I", len(body)) + body)
        except OSError:
            continue
    return QuantumCircuit(2)
