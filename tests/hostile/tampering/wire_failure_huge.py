# /// hostile
# does = "tells of an exception whose description is 16 MB of unknown keys"
# accept = ["wrong_answer", "exception", "limit"]
# control = "told"
# before = []
# ///
import json
import os
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


PASSED = {"status": "returned", "value": {"test": "passed"}}
TOLD = {"module": "builtins", "name": "ZeroDivisionError", "arguments": [""], "origin": 0, "yours": None}


def answer():
    try:
        say({"raised": {**TOLD, "failure": {**PASSED, **{"k" * 1000 + str(i): "v" * 7000 for i in range(2000)}}}})
    except BrokenPipeError:
        pass
    os._exit(0)
