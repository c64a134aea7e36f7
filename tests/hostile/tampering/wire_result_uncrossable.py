# /// hostile
# does = "says on its result pipe what only the process of the test may say: that a value cannot cross"
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


def answer():
    body = json.dumps({"status": "uncrossable", "why": "a value", "value": {"served": True}}).encode()
    for number in range(3, 64):
        try:
            if stat.S_ISFIFO(os.fstat(number).st_mode):
                os.write(number, struct.pack("!I", len(body)) + body)
        except OSError:
            continue
    os._exit(0)
