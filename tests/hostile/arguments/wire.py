# control = false  # it uses only this protocol
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


# /// wire_changed_into_another_type
# does = "claims that its argument became a new object, which it returned"
def answer(given):
    lie = {"object": [0, type(given).__name__, "", {"equiv": {"function": 1}}, True]}
    say({"value": None, "same": 0, "changed": [[0, lie]]})
    while heard():
        say({"value": True, "same": None, "changed": []})
    os._exit(0)


# /// wire_changed_twice
# does = "reports two changes of its argument, and one of an argument that it never received"
def answer(given):
    say({"value": None, "same": 0, "changed": [[0, []], [0, {"dict": []}], [1, 0]]})
    os._exit(0)


# /// wire_same_that_is_not_given
# does = "returns an argument that it never received"
def answer(given):
    say({"value": None, "same": 1, "changed": []})
    os._exit(0)
