# /// hostile
# does = "loops without end and swallows every exception that could stop it"
# accept = ["cpu_timeout"]
def answer(target):
    print("attacking", flush=True)
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
