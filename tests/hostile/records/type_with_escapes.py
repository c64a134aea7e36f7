# does = "returns an object whose class is named with control characters and lone surrogates"
# accept = ["returned", "killed", "exception", "output_limit"]
# control = false  # naive graders keep no record
    return type("\x1b[2J\u2028\x85", (), {"__repr__": lambda self: "\x1b]0;owned\x07\ud800\x00"})()
