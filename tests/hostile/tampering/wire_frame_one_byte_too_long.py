# /// hostile
# does = "sends a frame of 32 MiB and one byte"
# accept = ["wrong_answer", "exception", "limit"]
# control = false  # it knows this protocol and no other
# before = []
# limits = { wall_seconds = 10 }
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
    for number in sockets():
        os.write(number, struct.pack("!I", (32 << 20) + 1))
        try:
            for _ in range(32):
                os.write(number, b" " * (1 << 20))
        except OSError:
            continue
    os._exit(0)
