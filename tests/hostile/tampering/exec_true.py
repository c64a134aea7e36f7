# does = "executes another program, which always succeeds"
# accept = ["exception"]
# control = "exit"
import os

    os.execv("/bin/true", ["true"])
