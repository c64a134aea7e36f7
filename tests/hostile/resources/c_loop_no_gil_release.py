# does = "stays in one long call of C code without releasing the interpreter lock"
# accept = ["cpu_timeout"]
    return sum(range(10**13))
