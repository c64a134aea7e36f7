# /// hostile
# does = "sends an observation whose keys are there twice, the second time other ones"
# accept = ["returned", "killed", "exception", "output_limit", "malformed"]
# control = false  # naive graders keep no record
# before = []
# ///
import json
import os
import stat
import struct


def say(result):
    body = result if isinstance(result, bytes) else json.dumps(result).encode()
    for number in range(3, 64):
        try:
            if stat.S_ISFIFO(os.fstat(number).st_mode):
                data = struct.pack("!I", len(body)) + body
                while data:
                    data = data[os.write(number, data) :]
        except OSError:
            continue
    os._exit(0)


SEEN = {"kind": "distribution", "bits": 1, "probabilities": {"0": 1.0}, "shots": None, "gates": None}


def answer():
    print("attacking", flush=True)
    say(
        b'{"status": "returned", "value": {"cases": [{"kind": "distribution", "kind": "other", "type": "x", "repr": "x", "problem": "x", "problem": ["x"]}]}}'
    )
