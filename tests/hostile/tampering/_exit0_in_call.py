# does = "leaves with exit status 0 when it is called, bypassing every handler"
# accept = ["exception"]
# control = "exit"
import os

    os._exit(0)
