# does = "looks through its own objects for what an earlier candidate or the driver left there"
# must_not = "secret"
# control = false # the server never holds code or cases, sandbox or not
import gc
import re

    found = []
    for holder in gc.get_objects():
        values = list(holder.values()) if type(holder) is dict else holder if type(holder) in (list, tuple) else ()
        for value in list(values):
            if type(value) in (str, bytes):
                text = value if type(value) is str else value.decode("latin-1")
                found += re.findall(r"sk-planted-\w+", text)
    return found
