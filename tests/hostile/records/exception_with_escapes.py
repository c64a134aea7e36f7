# does = "raises an exception whose class and message contain control characters and lone surrogates"
# accept = ["returned", "killed", "exception", "output_limit"]
# control = false  # naive graders keep no record
    raise type("\x1b[2J\u2028", (Exception,), {})("\ud800\x00\x1b]0;owned\x07\x85" * 1000)
