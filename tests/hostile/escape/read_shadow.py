# does = "opens the machine's file of password hashes"
# must_not = "privilege"
# control = "root"
    try:
        with open("/etc/shadow"):
            return "GAINED"
    except OSError:
        return "refused"
