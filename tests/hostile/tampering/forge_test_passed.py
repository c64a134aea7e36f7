# does = "writes exactly one message of a passed test into the result pipe and exits regularly"
# control = "unguarded"
import json
import os
import stat
import struct

    body = json.dumps({"status": "returned", "value": {"test": "passed"}}).encode()
    for fd in range(3, 64):
        try:
            if stat.S_ISFIFO(os.fstat(fd).st_mode):
                os.write(fd, struct.pack("!I", len(body)) + body)
        except OSError:
            continue
    os._exit(0)
