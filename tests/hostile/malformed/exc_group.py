# does = "raises a group of groups of exceptions"
# accept = ["exception"]
def answer():
    inner = ExceptionGroup("inner", [ValueError(i) for i in range(1000)])
    raise BaseExceptionGroup("outer", [inner, KeyboardInterrupt(), SystemExit(0)])
