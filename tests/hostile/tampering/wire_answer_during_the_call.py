# /// hostile
# does = "answers a call twice, so that the second answer is there for the next call"
# accept = ["wrong_answer", "exception"]
# control = "told"
# before = ["stub"]
# ///
import json
import os
import select
import stat
import struct

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


def answer():
    say({"value": 0, "same": None, "changed": []})
    say({"raised": {**TOLD, "failure": PASSED}})
    heard()
    os._exit(0)
