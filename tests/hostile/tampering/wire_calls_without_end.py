# /// hostile
# does = "answers a call with 5,000 calls of its own"
# accept = ["wrong_answer", "exception", "limit"]
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


def answer():
    try:
        for _ in range(5000):
            say({"call": 0, "arguments": [], "keywords": {}})
    except OSError:
        pass
    os._exit(0)
