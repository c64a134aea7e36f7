# does = "reads the path of an executor module in its process, and the files next to it"
# must_not = "privilege"
import os
import sys

    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None) or ""
        if "guest" in name and path:
            above = os.path.join(os.path.dirname(path), "..", "program.py")
            try:
                with open(above) as file:
                    return "GAINED" if file.read(1) else "nothing"
            except OSError:
                continue
    return "refused"
