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


# /// wire_answer_after_the_call
# does = "leaves a made-up answer on the socket from a thread after its own"
# control = "told"
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


# /// wire_names_from_a_library
# does = "reports names of the test as names of any module, which the other side would import"
# limits = { wall_seconds = 6 }
MODULES = {"check": ["antigravity", "check"], "rule": ["unittest.mock", "rule"], "equal": ["this", "equal"]}
say({"names": {"answer": "function", **MODULES, "np": ["unittest.mock", "ANY"], "done": [None], "got": []}})


def answer():
    return QuantumCircuit(2)


# /// wire_names_mistyped
# does = "sends names that are not a table"
# limits = { wall_seconds = 6 }
say({"names": [["answer", "function"]]})


def answer():
    return QuantumCircuit(2)


# /// wire_names_of_the_test
# does = "reports names of the test as its own values and functions"
# limits = { wall_seconds = 6 }
NAMES = (
    "check",
    "equal",
    "equivalent",
    "close",
    "summed",
    "np",
    "unittest",
    "Statevector",
    "all",
    "abs",
    "zip",
    "rule",
)
say({"names": {"answer": "function", **dict.fromkeys(NAMES, "function"), "done": "value", "got": "value"}})


def answer():
    return QuantumCircuit(2)


# /// wire_result_and_served
# does = "writes the result of a passed test into its own result pipe and then serves its wrong answer regularly"
# accept = ["wrong_answer", "exception"]
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
