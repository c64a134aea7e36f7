# does = "stays in one long call of C code that never gives the interpreter a turn"
# accept = ["cpu_timeout"]
    return sum(range(10**13))
