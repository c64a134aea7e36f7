# /// hostile
# does = "reads from a pipe into which only itself could write"
# accept = ["wall_timeout"]
# limits = { wall_seconds = 1 }
import os


def answer(target):
    print("attacking", flush=True)
    read, _write = os.pipe()
    os.read(read, 1)
