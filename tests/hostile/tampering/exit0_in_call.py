# does = "leaves with exit status 0 when it is called"
# accept = ["exception"]
# control = "exit"
import sys

    sys.exit(0)
