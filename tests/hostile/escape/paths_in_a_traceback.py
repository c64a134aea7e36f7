# does = "raises an exception that carries the paths of the executor's own files"
# accept = ["exception"]
# must_not = "path"
# control = false # the report is made in the same way, sandbox or not
import sys

    frame = sys._getframe()
    files = []
    while frame:
        files.append(frame.f_code.co_filename)
        frame = frame.f_back
    raise RuntimeError("\n".join(files))
