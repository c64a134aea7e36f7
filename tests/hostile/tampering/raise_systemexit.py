# /// hostile
# does = "raises SystemExit by hand"
# accept = ["exception"]
# control = "exit"
def answer():
    print("attacking", flush=True)
    raise SystemExit
