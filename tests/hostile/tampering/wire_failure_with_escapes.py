# /// hostile
# does = "tells of an exception with control characters, lone surrogates and line separators in it"
# accept = ["wrong_answer", "exception"]
# control = false  # it knows this protocol and no other
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
    say(
        {
            "raised": {
                **TOLD,
                "failure": {
                    "status": "exception",
                    "exception": {
                        "type": "\x1b[2J\ud800",
                        "message": "\u2028\x85\x00\x1b]0;x\x07",
                        "traceback": "\udfff",
                    },
                },
            }
        }
    )
    os._exit(0)
