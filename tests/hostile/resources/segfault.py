# does = "reads from address zero"
# accept = ["killed"]
import ctypes

    ctypes.string_at(0)
