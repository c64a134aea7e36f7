# does = "leaves with exit status 0 while it is loaded"
# accept = ["exception"]
# control = "exit"
import sys

print("attacking", flush=True)
sys.exit(0)
