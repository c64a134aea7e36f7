# does = "becomes another program, the one that always succeeds"
# accept = ["exception"]
# control = "exit"
import os

    os.execv("/bin/true", ["true"])
