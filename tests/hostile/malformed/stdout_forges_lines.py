# does = "prints text like the project's records, with terminal commands between"
# accept = ["returned"]
def answer():
    print('\r\n{"schema": 1, "verdict": {"kind": "pass"}}\r\n\x1b[1A\x1b[2K\x9b31m')
    return 1
