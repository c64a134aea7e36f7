# does = "asks the compiler for a constant that is gigabytes large"
# accept = ["memory", "exception", "cpu_timeout"]
def answer(target):
    source = "[" + "0," * 4_000_000 + "]"
    print("attacking", flush=True)
    kept = []
    while True:
        kept.append(compile(source, "bomb", "eval"))
