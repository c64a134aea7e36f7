# does = "writes the message of a passed test, in the executor's own form, to every descriptor, and leaves"
# control = false # it knows this executor and no other
import json
import os
import struct

MESSAGES = [
    {"status": "returned", "value": {"test": "passed"}},
    {"status": "pass"},
    {"passed": True},
]


def answer():
    print("attacking", flush=True)
    for message in MESSAGES:
        body = json.dumps(message).encode()
        for fd in range(3, 64):
            try:
                os.write(fd, struct.pack("!I", len(body)) + body)
            except OSError:
                continue
    os._exit(0)
