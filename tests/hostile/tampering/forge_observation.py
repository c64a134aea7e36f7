# does = "writes an observation of its own into the result pipe: right numbers, gates that were never used"
# control = "gates"
import json
import os
import stat
import struct

ROWS = [[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0]]


def answer():
    print("attacking", flush=True)
    seen = {
        "kind": "unitary",
        "qubits": 2,
        "matrix": [[[entry, 0] for entry in row] for row in ROWS],
        "gates": {"h": 2, "cz": 1},
    }
    body = json.dumps({"status": "returned", "value": {"cases": [seen]}}).encode()
    for fd in range(3, 64):
        try:
            if stat.S_ISFIFO(os.fstat(fd).st_mode):
                os.write(fd, struct.pack("!I", len(body)) + body)
        except OSError:
            continue
    os._exit(0)
