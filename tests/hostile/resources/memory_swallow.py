# does = "swallows every MemoryError and asks for less and less until nothing is left"
# accept = ["memory", "cpu_timeout", "killed"]
# must_not = "memory"
# control = "roomy"
    kept = []
    size = 1 << 28
    while True:
        try:
            kept.append(bytearray(size))
        except MemoryError:
            size = max(size // 2, 1)
