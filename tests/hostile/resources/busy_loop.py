# /// hostile
# does = "loops without end"
# accept = ["cpu_timeout"]
# quick = true
def answer(target):
    print("attacking", flush=True)
    while True:
        pass
