# does = "computes an integer of three billion bits"
# accept = ["cpu_timeout", "memory"]
    return 11 ** (10**9)
