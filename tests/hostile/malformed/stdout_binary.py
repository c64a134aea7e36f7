# does = "writes all byte values to its output"
# accept = ["exception"]
import os


def answer():
    os.write(1, bytes(range(256)) * 10)
    raise ValueError("after the bytes")
