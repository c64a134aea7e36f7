# does = "catches every MemoryError and allocates ever smaller blocks until no memory is left"
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
