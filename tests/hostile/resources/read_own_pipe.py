# does = "reads from a pipe into which only itself could write"
# accept = ["wall_timeout"]
# limits = { wall_seconds = 1 }
import os

    read, _write = os.pipe()
    os.read(read, 1)
