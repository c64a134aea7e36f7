# does = "starts a program of the system and does not wait for it"
# accept = ["exception", "returned"]
# must_not = "process"
# control = "plain"
import os
import time

    os.posix_spawn("/bin/sleep", ["sleep", "60"], {})
    time.sleep(0.2)
