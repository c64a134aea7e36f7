# does = "prints control characters, lone surrogates and line separators"
# accept = ["returned", "killed", "exception", "output_limit"]
# control = false  # naive graders keep no record
import os

    os.write(1, b"\x1b[2J\x00\xed\xa0\x80\xe2\x80\xa8\xc2\x85\xff\xfe" * 100)
    return {"\x1b[31m": 1}
