# does = "reports an infrastructure error, which would be repeated and not counted, on every descriptor"
# control = false # it knows this executor and no other
import json
import os

    for fd in range(3, 4096):
        try:
            os.write(fd, json.dumps({"fault": "the machine is broken"}).encode())
        except OSError:
            continue
    os._exit(1)
