# does = "leaves with the exit status of a process that was killed for memory"
# accept = ["killed", "exception"]
# control = false  # it deceives no grader; it must be recorded as its own end
import os

    os._exit(137)
