# does = "reads from a pipe that only it can write to"
# accept = ["wall_timeout"]
# limits = { wall_seconds = 1 }
import os

    read, _write = os.pipe()
    os.read(read, 1)
