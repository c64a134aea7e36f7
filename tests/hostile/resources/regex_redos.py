# does = "matches a regular expression that needs exponential time"
# accept = ["cpu_timeout"]
import re

    return re.match(r"(x+x+)+y", "x" * 64)
