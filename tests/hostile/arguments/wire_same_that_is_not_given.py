# does = "returns an argument that was not given"
# control = false  # it knows this protocol and no other
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


def answer(given):
    say({"value": None, "same": 1, "changed": []})
    os._exit(0)
