# accept = ["wrong_answer", "exception", "limit"]
# control = false  # it uses only this protocol
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


# /// wire_names_claim_a_library
# does = "claims that its entry point and the test's dependencies are objects of a library"
# limits = { wall_seconds = 6 }
ANY = ["unittest.mock", "ANY"]
claims = {"answer": ANY, "Operator": ["unittest.mock", "MagicMock"], "check": ANY, "zip": ["unittest.mock", "zip"]}
say({"names": claims})


def answer():
    return QuantumCircuit(2)


# /// wire_names_twice
# does = "sends its names twice, the second time those of the test"
# limits = { wall_seconds = 6 }
for _ in range(2):
    say({"names": {"answer": "function", "check": "function", "Operator": "value"}})


def answer():
    return QuantumCircuit(2)


# /// wire_two_answers
# does = "gives two answers to a call, and a third one regularly"
# accept = ["wrong_answer", "exception"]
PASSED = {"status": "returned", "value": {"test": "passed"}}
EXCEPTION = {"type": "ZeroDivisionError", "message": "", "traceback": ""}
RAISED = {"module": "builtins", "name": "ZeroDivisionError", "arguments": [""], "origin": 0, "yours": None}


def answer():
    say({"value": {"dict": [["00", 1.0]]}, "same": None, "changed": []})
    say({"raised": {**RAISED, "told": PASSED}})
    return QuantumCircuit(2)
