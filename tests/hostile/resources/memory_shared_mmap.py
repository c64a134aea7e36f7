# does = "fills shared anonymous memory, which is not counted as data of the process"
# accept = ["memory", "exception", "cpu_timeout"]
# must_not = "memory"
# control = "roomy"
import mmap

    kept = []
    while True:
        block = mmap.mmap(-1, 10**8)
        block.write(b"x" * 10**8)
        kept.append(block)
