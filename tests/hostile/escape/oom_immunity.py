# does = "makes itself the last choice of the out-of-memory killer"
# must_not = "privilege"
# control = false # the right to it is not granted to every root
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("-1000")
    except OSError:
        return "refused"
    return "GAINED"
