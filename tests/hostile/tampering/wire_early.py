# control = "told"
import json
import os
import select
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


def heard():
    """One frame, if one comes within a second."""
    for number in sockets():
        if select.select([number], [], [], 1)[0]:
            return os.read(number, 1 << 20)
    return b""


PASSED = {"status": "returned", "value": {"test": "passed"}}
TOLD = {"module": "builtins", "name": "ZeroDivisionError", "arguments": [""], "origin": 0, "yours": None}


# /// wire_answer_before_the_call
# does = "answers calls after its names, before any call was made"
say({"names": {"answer": "function"}})
for _ in range(4):
    say({"raised": {**TOLD, "failure": PASSED}})
if sockets():
    heard()
    os._exit(0)


def answer():
    return QuantumCircuit(2)


# /// wire_at_import
# does = "sends the names and answers the first call of a test while it is being loaded"
say({"names": {"answer": "function"}})
heard()
say({"raised": {**TOLD, "failure": PASSED}})
if sockets():
    os._exit(0)


def answer():
    return QuantumCircuit(2)


# /// wire_answer_during_the_call
# does = "gives two answers to a call, so that the next call reads the second one"
def answer():
    say({"value": 0, "same": None, "changed": []})
    say({"raised": {**TOLD, "failure": PASSED}})
    heard()
    os._exit(0)


# /// wire_calls_of_the_test
# does = "calls functions of the test's process by name and number instead of answering"
# accept = ["wrong_answer", "exception", "limit"]
# control = false  # it uses only this protocol
def answer():
    for target in ("check", "test", "exec", "__import__", "()", 0, -1, None, {"yours": 0}, [0]):
        say({"call": target, "arguments": ["pass"], "keywords": {}})
        heard()
    os._exit(0)
