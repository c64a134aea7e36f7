# /// hostile
# does = "sends an object that can be called and answers every call with True"
# accept = ["wrong_answer", "exception"]
# control = false  # it knows this protocol and no other
# before = []
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
    """The message that comes within a second; nothing when none does."""
    for number in sockets():
        if select.select([number], [], [], 1)[0]:
            head = os.read(number, 4)
            return json.loads(os.read(number, *struct.unpack("!I", head))) if len(head) == 4 else {}
    return {}


def believed(value):
    """Answer every call of the entry point with a value, and with True all others."""
    called = {"call": "answer"}
    while called:
        says = value if called.get("call") == "answer" else True
        say({"value": says, "same": None, "changed": []})
        called = heard()
    os._exit(0)


def answer():
    believed({"object": [0, "MagicMock", "", {}, True]})
