# does = "lowers the limits of a process outside"
# must_not = "neighbour"
import resource

    try:
        soft, hard = resource.prlimit(target["neighbour"]["pid"], resource.RLIMIT_NOFILE)
        resource.prlimit(target["neighbour"]["pid"], resource.RLIMIT_NOFILE, (soft - 1, hard))
    except OSError:
        return "refused"
