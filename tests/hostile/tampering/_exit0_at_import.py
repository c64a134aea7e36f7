# does = "leaves with exit status 0 while it is loaded, bypassing every handler"
# accept = ["exception"]
# control = "exit"
import os

print("attacking", flush=True)
os._exit(0)
