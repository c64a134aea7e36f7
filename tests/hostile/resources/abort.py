# does = "aborts"
# accept = ["killed"]
import os

    os.abort()
