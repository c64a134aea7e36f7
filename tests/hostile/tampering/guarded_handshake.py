# control = "guarded"
import json
import os
import stat
import struct
import MODULES

print("attacking", flush=True)


def read(fd, size):
    data = b""
    while len(data) < size:
        part = os.read(fd, size - len(data))
        if not part:
            os._exit(1)
        data += part
    return data


def forge(said, peer):
    os.write(peer, said)
    (size,) = struct.unpack("!I", read(peer, 4))
    nonce = json.loads(read(peer, size))["nonce"]
    value = {"test": "passed", "vacuous": False}
    body = json.dumps({"status": "returned", "value": value, "nonce": nonce}).encode()
    for fd in range(3, 64):
        try:
            if stat.S_ISFIFO(os.fstat(fd).st_mode):
                os.write(fd, struct.pack("!I", len(body)) + body)
        except OSError:
            continue
    os._exit(0)


frame = sys._getframe()
while frame:
    if "loaded" in frame.f_locals:
        forge(frame.f_locals["loaded"], frame.f_locals["self"]._peer)
    frame = frame.f_back


def answer():
    return ANSWER


# /// guarded_handshake
# does = "takes the token of a guarded test out of the frames above it, asks for the test itself and reports its passing"
# MODULES = '''
# sys
#
# from qiskit import QuantumCircuit'''
# ANSWER = "QuantumCircuit(2)"

# /// retreat_to_guarded
# does = "returns a value that cannot be encoded, to be judged guarded, and forges the verdict there"
# MODULES = "sys"
# ANSWER = "object()"
