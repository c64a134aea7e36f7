# /// hostile
# does = "opens the machine's file of password hashes"
# must_not = "privilege"
# control = "root"
def answer(target):
    print("attacking", flush=True)
    try:
        with open("/etc/shadow"):
            return "GAINED"
    except OSError:
        return "refused"
