# /// hostile
# does = "reads from address zero"
# accept = ["killed"]
# quick = true
import ctypes


def answer(target):
    print("attacking", flush=True)
    ctypes.string_at(0)
