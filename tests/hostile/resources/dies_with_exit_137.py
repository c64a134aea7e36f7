# does = "leaves with the exit status of a process that was killed for memory"
# accept = ["killed", "exception"]
# control = false  # nobody is fooled by it; it must be booked as its own end
import os

    os._exit(137)
