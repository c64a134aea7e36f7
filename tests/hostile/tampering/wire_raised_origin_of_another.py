# /// hostile
# does = "tells of one exception as the origin of all others, with a passed test in it"
# accept = ["wrong_answer", "exception"]
# control = "told"
# before = ["stub"]
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
    say({"raised": {**TOLD, "failure": PASSED, "origin": [0, 1, 2], "yours": -1}})
    os._exit(0)
