# does = "reads from address zero"
# accept = ["killed"]
# quick = true
import ctypes

    ctypes.string_at(0)
